package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestResampledMedianIsThatOfARealResample holds the short cut against drawing every value, by the largest distance between
// the two distributions. For 20,000 draws each, chance alone stays below 0.0195 in 999 of 1000 cases.
func TestResampledMedianIsThatOfARealResample(t *testing.T) {
	const draws = 20_000
	for _, values := range [][]float64{
		{1}, {1, 2}, {1, 2, 5}, {1, 2, 2, 7, 9, 12, 40}, {3, 4, 5, 6, 7, 8, 9, 100},
	} {
		random := rand.New(rand.NewPCG(3, uint64(len(values))))
		short, real := make([]float64, draws), make([]float64, draws)
		resample := make([]float64, len(values))
		for i := range draws {
			short[i] = resampledMedian(values, random)
			for k := range resample {
				resample[k] = values[random.IntN(len(values))]
			}
			slices.Sort(resample)
			real[i], _ = Percentile(resample, 50)
		}
		slices.Sort(short)
		slices.Sort(real)
		share := func(sorted []float64, upTo float64) float64 {
			n, _ := slices.BinarySearchFunc(sorted, upTo, func(v, limit float64) int {
				if v <= limit {
					return -1
				}
				return 1
			})
			return float64(n) / draws
		}
		for _, v := range slices.Concat(short, real) {
			if d := math.Abs(share(short, v) - share(real, v)); d > 0.0195 {
				t.Fatalf("%v: up to %v lie %.4f and %.4f", values, v, share(short, v), share(real, v))
			}
		}
	}
}

// TestIntervalCoversTheDifference draws 600 pairs of 25 and 40 durations with a long tail, whose medians are 500 apart. Of
// the intervals 95 % should cover that; the bootstrap of medians is known to be a little off, and chance adds two per cent.
func TestIntervalCoversTheDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	draw := func(n int, plus float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = 1000 + plus + 300*random.ExpFloat64()
		}
		slices.Sort(values)
		return values
	}
	const runs = 600
	covered := 0
	for range runs {
		in, ok := medianInterval(draw(25, 0), draw(40, 500))
		if !ok {
			t.Fatal("no interval")
		}
		if in.Low <= 500 && 500 <= in.High {
			covered++
		}
	}
	if share := float64(covered) / runs; share < 0.92 || share > 0.99 {
		t.Errorf("%.1f %% of the intervals cover the difference", 100*share)
	}
}

func TestIntervalIsTheSameEveryTimeAndNeedsFiveValues(t *testing.T) {
	a, b := []float64{1, 2, 3, 4, 5, 6}, []float64{11, 12, 13, 14, 15}
	first, _ := medianInterval(a, b)
	if again, _ := medianInterval(a, b); again != first {
		t.Errorf("%v, then %v", first, again)
	}
	// No resample of b has a median below 11, none of a one above 6; in the middle lies 13 - 3.5.
	if first.SpansZero() || first.Low < 5 || first.High > 14 || first.Low > 9.5 || first.High < 9.5 {
		t.Errorf("interval %v", first)
	}
	if same, _ := medianInterval(a, a); !same.SpansZero() {
		t.Errorf("values differ from themselves: %v", same)
	}
	if _, ok := medianInterval(a, b[:4]); ok {
		t.Error("four values have an interval")
	}
}

func TestSpansZero(t *testing.T) {
	for in, want := range map[Interval]bool{{-1, 1}: true, {0, 5}: true, {-5, 0}: true, {1, 2}: false, {-2, -1}: false} {
		if in.SpansZero() != want {
			t.Errorf("%v spans zero: %t", in, !want)
		}
	}
}
