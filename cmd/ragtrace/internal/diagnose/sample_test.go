package diagnose

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMedians(t *testing.T) {
	for _, c := range []struct {
		values  []float64
		median  float64
		without map[float64]float64
	}{
		{nil, 0, nil},
		{[]float64{7}, 7, map[float64]float64{7: 0}},
		{[]float64{7, 3}, 5, map[float64]float64{7: 3, 3: 7}},
		{[]float64{9, 1, 5}, 5, map[float64]float64{1: 7, 5: 5, 9: 3}},
		{[]float64{4, 1, 2, 3}, 2.5, map[float64]float64{1: 3, 2: 3, 3: 2, 4: 2}},
		{[]float64{5, 1, 4, 2, 3}, 3, map[float64]float64{1: 3.5, 2: 3.5, 3: 3, 4: 2.5, 5: 2.5}},
		{[]float64{2, 2, 2, 1}, 2, map[float64]float64{1: 2, 2: 2}},
		{[]float64{0, 0, 0, 8, 8}, 0, map[float64]float64{0: 4, 8: 0}},
	} {
		s := newSample(slices.Clone(c.values))
		if got := s.median(); got != c.median {
			t.Errorf("%v: median %v, want %v", c.values, got, c.median)
		}
		for v, want := range c.without {
			if got := s.medianWithout(v); got != want {
				t.Errorf("%v without %v: median %v, want %v", c.values, v, got, want)
			}
		}
	}
}

// A sample answers as the sorted values do.
func TestSampleIsThatOfTheSortedValues(t *testing.T) {
	middle := func(sorted []float64) float64 {
		switch n := len(sorted); {
		case n == 0:
			return 0
		case n%2 == 1:
			return sorted[n/2]
		default:
			return (sorted[n/2-1] + sorted[n/2]) / 2
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Map(rapid.IntRange(0, rapid.SampledFrom([]int{1, 10, 1_000_000}).Draw(t, "most")), func(i int) float64 { return float64(i) })).Draw(t, "values")
		sorted := slices.Sorted(slices.Values(values))
		s := newSample(slices.Clone(values))
		if got, want := s.median(), middle(sorted); got != want {
			t.Fatalf("median %v, want %v", got, want)
		}
		for i, v := range sorted {
			if got, want := s.medianWithout(v), middle(slices.Delete(slices.Clone(sorted), i, i+1)); got != want {
				t.Fatalf("median without %v is %v, want %v", v, got, want)
			}
		}
		if len(sorted) > 0 && (s.least != sorted[0] || s.most != sorted[len(sorted)-1]) {
			t.Fatalf("from %v to %v", s.least, s.most)
		}
	})
}
