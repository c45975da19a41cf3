// Package timings says what follows from single exchanges with model servers: one that was saved, one that comes through
// a pipe, or a recording with the moment of every read.
//
// In: bodies (plain, NDJSON or server-sent events, with or without their head), recordings, and the moments at which a
// pipe's bytes arrive. Out: a Result each, as text, as JSON with the keys of the published timing cases, or several of them
// as a table by backend and model. It may import stages, stages/recording, stages/recognise and report.
package timings
