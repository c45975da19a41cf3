// Package store keeps spans in one SQLite file, each exactly as it came. Batches of otlp come in, whole traces of
// model.Span go out. A batch that Append took is in the file when Append returns; readers, in this process or another, see
// it from then on and never wait for a writer.
//
// It may import model and otlp.
package store
