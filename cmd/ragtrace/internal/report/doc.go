// Package report writes what people read of a diagnosis: durations, tables, and the answers of the commands.
//
// In: a diagnosis and the screen to write to. Out: text for a terminal of 80 columns or more, or for a file. It may import
// model, diagnose, stats and gate, and reads no clock, network or database.
package report
