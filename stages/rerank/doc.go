// Package rerank reads the rerank API that Cohere began and Jina, vLLM, Infinity, LocalAI, SGLang and llama-server speak,
// with the variants of vLLM's /score, and of text-embeddings-inference (TEI), whose answer is a bare list.
//
// In comes what the bodies say, value by value; out go stages.Facts. What the fields mean was read in Cohere's and Jina's
// API references, in vLLM (entrypoints/pooling), llama.cpp (tools/server) and TEI (router/src/http/types.rs). Only TEI
// reports time, in headers, which package tei reads. It imports stages and stream.
package rerank
