package diagnose

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

// A sample is what is asked of many values: how many there are, the least and the most, and what lies around the middle.
// The rest of their order would cost more than all of the judgement.
type sample struct {
	n           int
	some        int // that are not 0
	least, most float64
	middle      [3]float64 // of rank n/2-1, n/2 and n/2+1, counted from 0; what there is not of them is 0
}

// newSample takes values, and changes their order.
func newSample(values []float64) *sample {
	s := &sample{n: len(values)}
	if s.n == 0 {
		return s
	}
	s.least, s.most = values[0], values[0]
	for _, v := range values {
		s.least, s.most = min(s.least, v), max(s.most, v)
		if v != 0 {
			s.some++
		}
	}
	at := s.n / 2
	partition(values, at)
	s.middle[1] = values[at]
	if at > 0 {
		s.middle[0] = slices.Max(values[:at])
	}
	if at+1 < s.n {
		s.middle[2] = slices.Min(values[at+1:])
	}
	return s
}

// median is 0 without values.
func (s *sample) median() float64 {
	if s.n%2 == 0 {
		return (s.middle[0] + s.middle[1]) / 2
	}
	return s.middle[1]
}

// medianWithout is the median of the values but one, which has the value v; 0 when there is no other.
func (s *sample) medianWithout(v float64) float64 {
	// What v lies before moves down by a rank.
	without := func(i int) float64 {
		if v <= s.middle[i] {
			i++
		}
		return s.middle[i]
	}
	switch {
	case s.n <= 1:
		return 0
	case s.n%2 == 0: // rank n/2-1 of an odd number
		return without(0)
	default: // ranks n/2-1 and n/2
		return (without(0) + without(1)) / 2
	}
}

// Median is the median of durations, whose order it changes: of an even number the mean of the middle two, 0 of none.
func Median(values []time.Duration) time.Duration {
	n := len(values)
	if n == 0 {
		return 0
	}
	partition(values, n/2)
	median := values[n/2]
	if n%2 == 0 {
		median = (slices.Max(values[:n/2]) + median) / 2
	}
	return median
}

// partition puts the value of rank k at values[k], what is no larger before it and what is no smaller behind it.
func partition[T cmp.Ordered](values []T, k int) {
	first, last := 0, len(values)-1
	for tries := 2 * bits.Len(uint(len(values))); first < last; tries-- {
		if tries == 0 { // values chosen to be bad for us
			slices.Sort(values[first : last+1])
			return
		}
		a, b, c := values[first], values[first+(last-first)/2], values[last]
		pivot := max(min(a, b), min(max(a, b), c)) // the one in the middle
		i, j := first, last
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		// Up to j all are no larger, from i on no smaller, and between them are pivots.
		switch {
		case k <= j:
			last = j
		case k >= i:
			first = i
		default:
			return
		}
	}
}
