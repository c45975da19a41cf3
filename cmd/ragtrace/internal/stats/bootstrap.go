package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// EnoughForInterval is how many values both sides of a comparison need before an interval says anything.
const EnoughForInterval = 5

// An Interval holds the true value in 19 of 20 cases.
type Interval struct{ Low, High float64 }

// SpansZero reports whether the interval is no evidence of a difference.
func (i Interval) SpansZero() bool { return i.Low <= 0 && i.High >= 0 }

// resamples makes the ends of an interval steady to about a hundredth of its width.
const resamples = 4000

// medianInterval is the 95 % bootstrap interval (by percentiles) of median(b) - median(a); both are sorted. The seed is
// fixed: the same values give the same interval.
func medianInterval(a, b []float64) (Interval, bool) {
	if len(a) < EnoughForInterval || len(b) < EnoughForInterval {
		return Interval{}, false
	}
	random := rand.New(rand.NewPCG(1, 2))
	differences := make([]float64, resamples)
	for i := range differences {
		differences[i] = resampledMedian(b, random) - resampledMedian(a, random)
	}
	slices.Sort(differences)
	var in Interval
	in.Low, _ = Percentile(differences, 2.5)
	in.High, _ = Percentile(differences, 97.5)
	return in, true
}

// resampledMedian is the median of as many draws from sorted values, with replacement, as there are values. It does not draw
// them: a draw is the value at a uniform place, so the middle ones are at the places of the middle of n uniform numbers, and
// how those are distributed is known. A million values cost as little as ten.
func resampledMedian(sorted []float64, random *rand.Rand) float64 {
	n := len(sorted)
	at := func(place float64) float64 { return sorted[min(int(place*float64(n)), n-1)] }
	if n%2 == 1 {
		m := float64(n/2 + 1)
		return at(beta(m, float64(n)-m+1, random))
	}
	// The lower of the two middle ones, and the smallest of the n/2 above it.
	half := float64(n / 2)
	low := beta(half, half+1, random)
	high := low + (1-low)*(1-math.Pow(1-random.Float64(), 1/half))
	return (at(low) + at(high)) / 2
}

// beta draws the place of the a-th smallest of a+b-1 uniform numbers.
func beta(a, b float64, random *rand.Rand) float64 {
	x, y := gamma(a, random), gamma(b, random)
	return x / (x + y)
}

// gamma draws from the gamma distribution of a shape from 1 on: G. Marsaglia and W. W. Tsang, A simple method for generating
// gamma variables, ACM Transactions on Mathematical Software 26 (2000), section 2.
func gamma(shape float64, random *rand.Rand) float64 {
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := random.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-random.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
