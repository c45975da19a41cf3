// Package source is where traces come from when they do not come to us: a Jaeger that is asked over its HTTP API, and files
// of several formats, which are recognised without being told. Out go whole traces of model.Span, or batches of otlp.
//
// It may import model, otlp and jaeger, and knows nothing of stores and commands.
package source
