// Package stages says what the stages of a RAG question are and what one HTTP exchange tells about them.
//
// In come facts, gathered from the bytes and moments of one exchange by the packages below (stream splits the bytes, one
// package an API reads them, recognise picks the API and follows an exchange). Out go phases: stretches of server time,
// placed on the exchange's clock, ordered, clamped and never overlapping; and metrics on stated rulers (TTFT, TPOT, ITL,
// E2E). Everything here is arithmetic: no clock is read and no byte is parsed.
//
// It imports the standard library only.
package stages
