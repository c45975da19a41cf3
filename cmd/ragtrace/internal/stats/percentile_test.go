package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPercentile(t *testing.T) {
	twenty := slices.Concat(slices.Repeat([]float64{1.2}, 18), []float64{30, 30})
	for _, tt := range []struct {
		name   string
		values []float64
		p      float64
		want   float64
	}{
		{"the only one", []float64{7}, 95, 7},
		{"between the middle two", []float64{1, 2, 3, 4}, 50, 2.5},
		{"rank 2.85 of 0 to 3", []float64{1, 2, 3, 4}, 95, 3.85},
		{"rank 0.75", []float64{10, 20, 40, 80}, 25, 17.5},
		{"the ends", []float64{1, 2, 3}, 0, 1},
		{"the ends", []float64{1, 2, 3}, 100, 3},
		{"eighteen of twenty", twenty, 50, 1.2},
		{"two of twenty: rank 18.05 lies between them", twenty, 95, 30},
	} {
		if got, ok := Percentile(tt.values, tt.p); !ok || math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: p%v of %v = %v, %t; want %v", tt.name, tt.p, tt.values, got, ok, tt.want)
		}
	}
	for _, p := range []float64{-1, 101, math.NaN()} {
		if _, ok := Percentile([]float64{1}, p); ok {
			t.Errorf("p%v is known", p)
		}
	}
	if _, ok := Percentile(nil, 50); ok {
		t.Error("there is a median of nothing")
	}
}

// naive adds up all values, each weighted by how near its rank is to the one that is asked for.
func naive(values []float64, p float64) float64 {
	values = slices.Sorted(slices.Values(values))
	at, sum := p/100*float64(len(values)-1), 0.0
	for i, v := range values {
		sum += v * max(0, 1-math.Abs(float64(i)-at))
	}
	return sum
}

func TestPercentileIsInterpolatedBetweenRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e12, 1e12), 1, 60).Draw(t, "values")
		p := rapid.Float64Range(0, 100).Draw(t, "p")
		slices.Sort(values)
		got, _ := Percentile(values, p)
		if want := naive(values, p); math.Abs(got-want) > 1e-9*(1+math.Abs(values[0])+math.Abs(values[len(values)-1])) {
			t.Fatalf("p%v of %v = %v, want %v", p, values, got, want)
		}
		if got < values[0] || got > values[len(values)-1] {
			t.Fatalf("p%v = %v is not among %v", p, got, values)
		}
		if higher, _ := Percentile(values, min(100, p+rapid.Float64Range(0, 50).Draw(t, "more"))); higher < got {
			t.Fatalf("a higher percentile is lower: %v < %v", higher, got)
		}
	})
}

func TestDistMarksFew(t *testing.T) {
	for n, few := range map[int]bool{0: false, 1: true, 19: true, 20: false} {
		if got := distOf(make([]float64, n)).Few(); got != few {
			t.Errorf("%d values are few: %t", n, got)
		}
	}
}
