package stats

import "slices"

// Percentile is the value below which p percent of the values lie, by linear interpolation between the two nearest ranks:
// numpy's default, and what vllm bench prints. values must be sorted; ok is false when there are none, or p is not from 0 to
// 100.
func Percentile(sorted []float64, p float64) (value float64, ok bool) {
	if len(sorted) == 0 || !(p >= 0 && p <= 100) {
		return 0, false
	}
	rank := p / 100 * float64(len(sorted)-1)
	below := int(rank)
	if below >= len(sorted)-1 {
		return sorted[len(sorted)-1], true
	}
	low, high := sorted[below], sorted[below+1]
	// Never outside of the two, whatever rounding does.
	return min(max(low+(high-low)*(rank-float64(below)), low), high), true
}

// EnoughForP95 is how many values a p95 needs to be more than a name for the largest ones.
const EnoughForP95 = 20

// A Dist is what is told of a number of values. Without any its percentiles mean nothing.
type Dist struct {
	N        int
	P50, P95 float64
}

// distOf sorts values.
func distOf(values []float64) Dist {
	slices.Sort(values)
	d := Dist{N: len(values)}
	d.P50, _ = Percentile(values, 50)
	d.P95, _ = Percentile(values, 95)
	return d
}

// Few reports whether there are values, but too few for their p95.
func (d Dist) Few() bool { return d.N > 0 && d.N < EnoughForP95 }
