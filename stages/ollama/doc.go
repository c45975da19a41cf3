// Package ollama reads Ollama's own API: /api/generate, /api/chat, /api/embed and /api/embeddings, streamed and not.
//
// In comes what the bodies say, value by value; out go stages.Facts. What the fields mean was read in Ollama's source
// (server/routes.go, api/types.go), v0.6.5 to v0.34.0. It imports stages and stream.
package ollama
