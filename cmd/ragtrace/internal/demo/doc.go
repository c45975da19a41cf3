// Package demo is a small RAG application with its users: it asks eight questions over two sessions, with cold starts
// inside and outside the LLM, and sends the traces to an OTLP/gRPC receiver.
//
// In come the receiver's address and, if there is one, a real Ollama's; out go spans, made by package tracer as any
// application would make them, over real HTTP connections. Without a real Ollama a scripted one answers, whose timings are
// invented; vector store and reranker are always scripted. Whoever shows the figures has to say so: see Run.Source.
package demo
