//go:build race

package tracer_test

const raceEnabled = true
