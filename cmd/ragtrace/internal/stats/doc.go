// Package stats sums questions up: percentiles of what they took, by backend and model, warm and cold apart, and what
// changed between two of them or two sets of them.
//
// In come the results of a diagnosis. Out go figures. Nothing here is ever a mean: a percentile says of how many questions
// something is true, which two questions of 30 s among eighteen of 1.2 s do to a mean as well, and nobody sees it there.
// Everything is a function of its input; the bootstrap is seeded and gives the same interval every time.
//
// It imports diagnose and the standard library.
package stats
