// Package ingest is the ways in which spans come to a store: OTLP over gRPC and over HTTP, and what Jaeger's clients send.
// A sender gets its answer when its spans are committed, and is asked to wait before memory grows.
//
// It may import model, otlp, jaeger, bearer and store.
package ingest
