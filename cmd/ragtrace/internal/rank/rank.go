// Package rank finds values by their rank without sorting them all, which of many values costs a fraction.
//
// Numbers come in, and may be put into another order. It imports the standard library only.
package rank

import (
	"math"
	"math/bits"
	"slices"
)

const (
	// many is from how many values on they are narrowed down before they are searched.
	many = 4096
	// probes is of how many it is seen where about a rank lies, and aside how many probes around that place are kept: seven
	// times the standard deviation.
	probes = 512
	aside  = 80
)

// Around is the value of rank k, counted from 0, and its neighbours in the order of the values; what there is not of them is 0.
// It changes the order of values. k must be the rank of one of them.
func Around(values []float64, k int) (before, at, after float64) {
	if len(values) >= many {
		if near, below := narrow(values, k); k-below >= 0 && k-below < len(near) &&
			(k-below > 0 || below == 0) && (k-below+1 < len(near) || below+len(near) == len(values)) {
			values, k = near, k-below
		}
	}
	partition(values, k)
	if k > 0 {
		before = slices.Max(values[:k])
	}
	if k+1 < len(values) {
		after = slices.Min(values[k+1:])
	}
	return before, values[k], after
}

// narrow is the values near rank k, most likely, and how many lie below them.
func narrow(values []float64, k int) (near []float64, below int) {
	var seen [probes]float64
	for i := range seen {
		seen[i] = values[i*len(values)/probes]
	}
	slices.Sort(seen[:])
	place := k * probes / len(values)
	low, high := math.Inf(-1), math.Inf(1)
	if place >= aside {
		low = seen[place-aside]
	}
	if place+aside < probes {
		high = seen[place+aside]
	}
	near = make([]float64, 0, len(values)*(2*aside+probes/8)/probes)
	for _, v := range values {
		if v < low {
			below++
		} else if v <= high {
			near = append(near, v)
		}
	}
	return near, below
}

// partition puts the value of rank k at values[k], what is no larger before it and what is no smaller behind it.
func partition(values []float64, k int) {
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
