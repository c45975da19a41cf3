package rank

import (
	"slices"
	"testing"
)

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
		Partition(values, 50_000)
		if values[50_000] != sorted[50_000] || slices.Max(values[:50_000]) > values[50_000] || slices.Min(values[50_001:]) < values[50_000] {
			t.Errorf("%s: %v is in the middle, want %v", name, values[50_000], sorted[50_000])
		}
	}
}
