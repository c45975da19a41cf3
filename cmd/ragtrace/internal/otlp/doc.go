// Package otlp takes OTLP apart. Requests come in, as protobuf or as OTLP/JSON; out go their spans one by one, each in the
// very bytes in which it came, with the little that a store has to know of it, and, when wanted, decoded as model.Span.
//
// It may import model and the OpenTelemetry formats, and knows nothing of networks, files and SQL.
package otlp
