package stages

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

func gapsOf(list ...time.Duration) *Gaps {
	g := new(Gaps)
	for _, d := range list {
		g.Add(d)
	}
	return g
}

// TestQuantile has numpy.percentile's answers, worked out by its rule: position q(n-1), linear in between.
func TestQuantile(t *testing.T) {
	for _, tt := range []struct {
		gaps []time.Duration
		q    float64
		want time.Duration
	}{
		{[]time.Duration{20 * ms}, 0.5, 20 * ms},
		{[]time.Duration{10 * ms, 305 * ms}, 0.5, 157500 * time.Microsecond},
		{[]time.Duration{305 * ms, 10 * ms}, 0.95, 290250 * time.Microsecond},
		{[]time.Duration{3 * ms, 1 * ms, 2 * ms}, 0.5, 2 * ms},
		{[]time.Duration{0, 0, 0}, 0.95, 0},
		{[]time.Duration{1 * ms, 2 * ms}, 0, 1 * ms},
		{[]time.Duration{1 * ms, 2 * ms}, 1, 2 * ms},
		{[]time.Duration{1 * ms, 2 * ms}, 7, 2 * ms},
		{[]time.Duration{-5 * ms}, 0.5, 0},
	} {
		if got, ok := gapsOf(tt.gaps...).Quantile(tt.q); !ok || got != tt.want {
			t.Errorf("%v-quantile of %v is %v, want %v", tt.q, tt.gaps, got, tt.want)
		}
	}
}

func TestNoGaps(t *testing.T) {
	for _, g := range []*Gaps{nil, {}} {
		if d, ok := g.Quantile(0.5); ok || d != 0 || g.N() != 0 || g.Max() != 0 || g.burst(time.Hour) {
			t.Errorf("an empty distribution has figures: %v %d %v", d, g.N(), g.Max())
		}
	}
}

// TestManyGapsWithinOnePercent compares with an exact sort.
func TestManyGapsWithinOnePercent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() time.Duration{
		"even":        func() time.Duration { return time.Duration(r.Int64N(int64(100 * ms))) },
		"exponential": func() time.Duration { return time.Duration(r.ExpFloat64() * float64(20*ms)) },
		"tiny":        func() time.Duration { return time.Duration(r.Int64N(300)) },
		"two humps": func() time.Duration {
			return 5*ms + time.Duration(r.IntN(2))*700*ms + time.Duration(r.Int64N(int64(ms)))
		},
	} {
		g := new(Gaps)
		var all []time.Duration
		for range 50_001 {
			d := draw()
			g.Add(d)
			all = append(all, d)
		}
		slices.Sort(all)
		for _, q := range []float64{0.05, 0.5, 0.95, 0.99} { // ranks that are whole
			want := float64(all[int(math.Round(q*50_000))])
			got, _ := g.Quantile(q)
			if diff := math.Abs(float64(got) - want); diff > want/100 {
				t.Errorf("%s: %v-quantile %v, want %v within 1 %%", name, q, got, time.Duration(want))
			}
		}
		if g.Max() != all[len(all)-1] || g.N() != 50_001 {
			t.Errorf("%s: max %v of %d, want %v", name, g.Max(), g.N(), all[len(all)-1])
		}
	}
}

func TestExactUpToTheLimit(t *testing.T) {
	g := new(Gaps)
	for i := range maxExactGaps {
		g.Add(time.Duration(i) * time.Microsecond)
	}
	if d, _ := g.Quantile(0.5); d != 511500 {
		t.Errorf("median %v, want 511.5µs", d)
	}
}

func TestBucketsHoldTheirValues(t *testing.T) {
	for d := time.Duration(1); d < maxDuration; d = d*9/8 + 1 {
		if m := middle(bucket(d)); math.Abs(float64(m-d)) > float64(d)/200 {
			t.Errorf("%v is told as %v", d, m)
		}
	}
	g := gapsOf(make([]time.Duration, maxExactGaps+1)...)
	g.Add(100 * time.Hour) // longer than any bucket
	if d, _ := g.Quantile(1); d > maxDuration+maxDuration/100 || g.Max() != 100*time.Hour {
		t.Errorf("quantile %v, max %v", d, g.Max())
	}
}

func TestAddingCostsNothingOnceWarm(t *testing.T) {
	g := gapsOf(make([]time.Duration, maxExactGaps+1)...)
	if n := testing.AllocsPerRun(1000, func() { g.Add(3 * ms) }); n != 0 {
		t.Errorf("%v allocations a gap, want none", n)
	}
}

// TestBurst: eight events at one moment after more than 250 ms of nothing.
func TestBurst(t *testing.T) {
	zeros := func(n int) []time.Duration { return make([]time.Duration, n) }
	for _, tt := range []struct {
		name   string
		before time.Duration
		gaps   []time.Duration
		want   bool
	}{
		{"eight at the start, late", 300 * ms, zeros(7), true},
		{"seven at the start, late", 300 * ms, zeros(6), false},
		{"eight at the start, early", 200 * ms, zeros(7), false},
		{"eight later", 0, append([]time.Duration{20 * ms, 300 * ms}, zeros(7)...), true},
		{"eight later after a short wait", 300 * ms, append([]time.Duration{20 * ms, 100 * ms}, zeros(7)...), false},
		{"then in order", 300 * ms, append(zeros(7), 20*ms), true},
	} {
		if got := gapsOf(tt.gaps...).burst(tt.before); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
