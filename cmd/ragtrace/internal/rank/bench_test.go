package rank

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkAround finds the middle of as many values as a million spans have questions, beside sorting them.
func BenchmarkAround(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 83_320)
	for i := range values {
		values[i] = random.Float64()
	}
	copied := make([]float64, len(values))
	b.Run("around", func(b *testing.B) {
		for b.Loop() {
			copy(copied, values)
			Around(copied, len(copied)/2)
		}
	})
	b.Run("partition", func(b *testing.B) {
		for b.Loop() {
			copy(copied, values)
			partition(copied, len(copied)/2)
		}
	})
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			copy(copied, values)
			slices.Sort(copied)
		}
	})
}
