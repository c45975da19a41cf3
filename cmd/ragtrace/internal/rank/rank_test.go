package rank

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAround(t *testing.T) {
	for _, c := range []struct {
		values            []float64
		k                 int
		before, at, after float64
	}{
		{[]float64{7}, 0, 0, 7, 0},
		{[]float64{7, 3}, 0, 0, 3, 7},
		{[]float64{7, 3}, 1, 3, 7, 0},
		{[]float64{9, 1, 5}, 1, 1, 5, 9},
		{[]float64{2, 2, 1, 2}, 2, 2, 2, 2},
	} {
		before, at, after := Around(slices.Clone(c.values), c.k)
		if before != c.before || at != c.at || after != c.after {
			t.Errorf("rank %d of %v: %v, %v, %v", c.k, c.values, before, at, after)
		}
	}
}

// Of many values, which are narrowed down first, it is what it is of the sorted ones, however they are spread and ordered.
func TestAroundOfManyIsThatOfTheSortedValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spread := rapid.SampledFrom([]uint64{1, 2, 50, 1 << 40}).Draw(t, "spread")
		state := rapid.Uint64().Draw(t, "seed")
		values := make([]float64, rapid.IntRange(many, 2*many).Draw(t, "values"))
		for i := range values {
			state = state*6364136223846793005 + 1442695040888963407
			values[i] = float64(state >> 20 % spread)
		}
		if rapid.Bool().Draw(t, "rising") {
			slices.Sort(values)
		}
		sorted := slices.Sorted(slices.Values(values))
		k := rapid.OneOf(rapid.IntRange(0, len(values)-1), rapid.SampledFrom([]int{0, 1, len(values) / 2, len(values) - 2, len(values) - 1})).Draw(t, "rank")
		var want [3]float64
		for i := range want {
			if at := k - 1 + i; at >= 0 && at < len(sorted) {
				want[i] = sorted[at]
			}
		}
		before, at, after := Around(values, k)
		if got := [3]float64{before, at, after}; got != want {
			t.Fatalf("rank %d: %v, want %v", k, got, want)
		}
	})
}

func TestPartitionOfManyValues(t *testing.T) {
	for name, value := range map[string]func(i int) float64{
		"rising": func(i int) float64 { return float64(i) }, "falling": func(i int) float64 { return float64(-i) },
		"all the same": func(int) float64 { return 1 }, "a mountain": func(i int) float64 { return float64(min(i, 100_000-i)) },
		"two": func(i int) float64 { return float64(i % 2) },
	} {
		values := make([]float64, 100_001)
		for i := range values {
			values[i] = value(i)
		}
		sorted := slices.Sorted(slices.Values(values))
		partition(values, 50_000)
		if values[50_000] != sorted[50_000] || slices.Max(values[:50_000]) > values[50_000] || slices.Min(values[50_001:]) < values[50_000] {
			t.Errorf("%s: %v is in the middle, want %v", name, values[50_000], sorted[50_000])
		}
	}
}
