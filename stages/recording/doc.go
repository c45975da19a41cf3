// Package recording reads and writes exchange recordings: one HTTP exchange as its client saw it, with the moment of every
// read, as a JSON file. It replays them on their own clock and says what follows from them.
//
// In come recordings; out go stages.Facts, and a Result, whose JSON keys are those of the published timing cases. It
// imports stages and recognise.
package recording
