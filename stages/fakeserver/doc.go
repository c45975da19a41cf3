// Package fakeserver has scripted model servers, vector stores and rerankers, for tests and for the demo.
//
// In come a configuration (models, delays, faults) and HTTP requests; out go the answers that the real server would give,
// at the moments that the configuration says. Nothing is computed but what a test needs: embeddings are hashed bags of
// words, so that similar texts are near; searches are exact; rerank scores are word overlap; answers are what the
// configuration's function returns.
//
// Nothing in an answer tells a program that the server is scripted. A person must be told: a program that shows what it
// got from here must label it "scripted".
//
// Time is the time package's alone, so that a test inside testing/synctest gets every figure exactly: make the server and
// its listener inside the bubble, and connect by [Listen] instead of a socket. No server has a goroutine or a timer of its
// own; a request's work ends with its context.
//
// [Ollama] follows Ollama v0.17.4 with its llamarunner engine. It has no prompt cache (every prompt is evaluated whole), it
// decodes parallel slots at full speed each, and it has no tools, images, pulls or cloud models.
//
// The package imports the standard library alone.
package fakeserver
