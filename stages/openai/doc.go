// Package openai reads the API that OpenAI defined and that most model servers speak: chat completions, completions,
// responses and embeddings, streamed and not, and llama-server's own /completion, which answers in almost the same words.
//
// A server that says more than the API asks for is read too and named by it: llama-server's timings, vLLM's per-request
// metrics, LocalAI's usage timings, Ollama's fingerprint. It imports stages and stream.
package openai
