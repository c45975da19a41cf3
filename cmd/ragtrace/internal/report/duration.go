package report

import (
	"math"
	"strconv"
	"time"
)

// Duration writes d with three significant digits and no finer than a hundredth of a millisecond: in ms below 10 s, in s
// from there on ("0.42 ms", "12.3 ms", "843 ms", "6900 ms", "12.4 s").
func Duration(d time.Duration) string {
	ms := round3(float64(d) / float64(time.Millisecond))
	if math.Abs(ms) >= 10_000 {
		return digits3(ms/1000) + " s"
	}
	return digits3(ms) + " ms"
}

// Signed is Duration with its sign, for differences: "+312 ms", "-0.42 ms".
func Signed(d time.Duration) string {
	text := Duration(d)
	if d > 0 && text != Duration(0) {
		return "+" + text
	}
	return text
}

// round3 rounds v to three significant digits, and to no more than two places after the point.
func round3(v float64) float64 {
	unit := 0.01
	for math.Abs(v) >= 999.5*unit {
		unit *= 10
	}
	return math.Round(v/unit) * unit
}

// digits3 writes a number that round3 returned.
func digits3(v float64) string {
	places := 2
	for limit := 9.995; places > 0 && math.Abs(v) >= limit; limit *= 10 {
		places--
	}
	if math.Abs(v) < 0.005 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}
