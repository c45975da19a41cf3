package diagnose

import (
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/rank"
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
		if v < s.least {
			s.least = v
		}
		if v > s.most {
			s.most = v
		}
		if v != 0 {
			s.some++
		}
	}
	s.middle[0], s.middle[1], s.middle[2] = rank.Around(values, s.n/2)
	return s
}

// constantSample is that of n times the same value.
func constantSample(v float64, n int) *sample {
	s := &sample{n: n}
	if n == 0 {
		return s
	}
	s.least, s.most, s.middle[1] = v, v, v
	if v != 0 {
		s.some = n
	}
	if n > 1 {
		s.middle[0] = v
	}
	if n > 2 {
		s.middle[2] = v
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
