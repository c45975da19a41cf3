package stats

import "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/rank"

// Percentile is the value below which p percent of the values lie, by linear interpolation between the two nearest ranks:
// numpy's default, and what vllm bench prints. values must be sorted; ok is false when there are none, or p is not from 0 to
// 100.
func Percentile(sorted []float64, p float64) (value float64, ok bool) {
	if len(sorted) == 0 || !(p >= 0 && p <= 100) {
		return 0, false
	}
	at := p / 100 * float64(len(sorted)-1)
	below := int(at)
	if below >= len(sorted)-1 {
		return sorted[len(sorted)-1], true
	}
	return between(sorted[below], sorted[below+1], at-float64(below)), true
}

// EnoughForP95 is how many values a p95 needs to be more than a name for the largest ones.
const EnoughForP95 = 20

// A Dist is what is told of a number of values. Without any its percentiles mean nothing.
type Dist struct {
	N        int
	P50, P95 float64
}

// distOf changes the order of values.
func distOf(values []float64) Dist {
	return Dist{N: len(values), P50: percentile(values, 50), P95: percentile(values, 95)}
}

// percentile is Percentile of values that are not sorted, whose order it changes; 0 without any.
func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	place := p / 100 * float64(len(values)-1)
	below := int(place)
	_, low, high := rank.Around(values, below)
	if below+1 == len(values) {
		return low
	}
	return between(low, high, place-float64(below))
}

// between is the value that lies so far from low to high, and never outside of the two, whatever rounding does.
func between(low, high, share float64) float64 {
	return min(max(low+(high-low)*share, low), high)
}

// Few reports whether there are values, but too few for their p95.
func (d Dist) Few() bool { return d.N > 0 && d.N < EnoughForP95 }
