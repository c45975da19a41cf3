// Package ingest is the ways in which spans come in: OTLP over gRPC and over HTTP into a store, and files of OTLP/JSON
// straight to the reader. A sender gets its answer when its spans are committed, and is asked to wait before memory grows.
//
// It may import model, otlp and store.
package ingest
