// Package terminal draws one question as a waterfall of text.
//
// In: a question as diagnose cut it from a trace, and the screen to draw on. Out: one line a span, its bar on a time axis
// that they all share. It may import model, diagnose and report, and reads no clock, network or database.
package terminal
