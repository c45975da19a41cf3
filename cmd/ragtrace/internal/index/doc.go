// Package index keeps the questions of a store beside its spans, so that reading takes questions and not spans. Spans go
// in, as the store has them, and come back as diagnose.Question, in a compact form that is written again whenever a trace
// has changed.
//
// It may import model, store and diagnose.
package index
