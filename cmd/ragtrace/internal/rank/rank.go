// Package rank finds values by their rank without sorting them all, which of many values costs a fraction.
//
// Numbers come in and are put into another order. It imports the standard library only.
package rank

import (
	"math/bits"
	"slices"
)

// Partition puts the value of rank k, counted from 0, at values[k], what is no larger before it and what is no smaller behind
// it.
func Partition(values []float64, k int) {
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
