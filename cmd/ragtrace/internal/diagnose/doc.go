// Package diagnose answers which question number took far longer than its peers, whether the time went inside or outside
// the LLM, and why.
//
// In come spans ([Cut], [CutTrace]) and out go questions: small records whose components add up to the end-to-end time.
// In go questions ([Judge]) and out comes a [Report]. A store may keep the questions and forget the spans, so memory is
// bounded by questions. Everything is a pure function of its input: no clock, no network, no database, no randomness, and
// the order of the spans means nothing.
//
// It imports package model and the standard library only.
package diagnose
