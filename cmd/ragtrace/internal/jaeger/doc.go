// Package jaeger reads the formats of Jaeger that are older than OTLP: what programs with its clients send, batches in
// Thrift's binary protocol, and the JSON of its UI and its API. They come in as bytes and go out as batches of otlp.
//
// It may import otlp and the OpenTelemetry formats.
package jaeger
