// Package rank finds values by their rank without sorting them all, which of many values costs a fraction.
//
// Numbers come in, and may be put into another order. It imports the standard library only.
package rank

import (
	"math/bits"
	"slices"
)

const (
	// many is from how many values on they are narrowed down before they are searched.
	many = 4096
	// probes is of how many it is seen where about a rank lies, and aside how many probes to either side of that place are
	// kept, which is more than three times the standard deviation.
	probes = 512
	aside  = 40
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

// narrow is the values near rank k, most likely, which it puts first, and how many lie below them.
func narrow(values []float64, k int) (near []float64, below int) {
	var seen [probes]float64
	for i := range seen {
		seen[i] = values[i*len(values)/probes]
	}
	slices.Sort(seen[:])
	place := k * probes / len(values)
	low, high := seen[max(place-aside, 0)], seen[min(place+aside, probes-1)]
	if place < aside {
		low = slices.Min(values)
	}
	if place+aside >= probes {
		high = slices.Max(values)
	}
	// Nobody can foresee where the next value lies, so what is done is the same wherever it does: it is put to the near ones, and
	// pushed out again by the next one if it is none.
	n := 0
	for i, v := range values {
		lower, kept := 0, 0
		if v < low {
			lower = 1
		}
		if v <= high {
			kept = 1
		}
		values[i] = values[n]
		values[n] = v
		below += lower
		n += kept - lower
	}
	return values[:n], below
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
