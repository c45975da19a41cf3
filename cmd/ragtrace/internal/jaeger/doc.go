// Package jaeger reads what programs with Jaeger's own clients send: batches in Thrift's binary protocol, which come in as
// bytes and go out as batches of OTLP.
//
// It may import otlp and the OpenTelemetry formats.
package jaeger
