// Package ops is what operators of ragtrace serve ask it for: whether it lives, whether it takes spans, and its metrics in
// the text format of Prometheus.
//
// It may import ingest and store.
package ops
