package stages

import (
	"testing"
	"time"
)

// TestPool wants the quantiles of all gaps together: exact for few, within 1 % for many.
func TestPool(t *testing.T) {
	var a, b, none Gaps
	for _, ms := range []time.Duration{10, 20, 30} {
		a.Add(ms * time.Millisecond)
	}
	for _, ms := range []time.Duration{40, 100} {
		b.Add(ms * time.Millisecond)
	}
	var all Gaps
	for _, g := range []*Gaps{&a, nil, &none, &b} {
		all.Pool(g)
	}
	if p50, _ := all.Quantile(0.5); all.N() != 5 || p50 != 30*time.Millisecond || all.Max() != 100*time.Millisecond {
		t.Errorf("%d gaps, p50 %v, max %v; want 5, 30ms, 100ms", all.N(), p50, all.Max())
	}
	if a.N() != 3 || b.N() != 2 {
		t.Error("pooling has changed what was pooled")
	}

	// 3000 gaps of 5 ms and 1000 of 50 ms: the upper eighth lies among the latter.
	var short, long Gaps
	for range 3000 {
		short.Add(5 * time.Millisecond)
	}
	for range 1000 {
		long.Add(50 * time.Millisecond)
	}
	for name, order := range map[string][]*Gaps{"many first": {&short, &long}, "few first": {&long, &short}} {
		var g Gaps
		for _, o := range order {
			g.Pool(o)
		}
		p50, _ := g.Quantile(0.5)
		p95, _ := g.Quantile(0.95)
		if g.N() != 4000 || near(p50, 5*time.Millisecond) || near(p95, 50*time.Millisecond) {
			t.Errorf("%s: %d gaps, p50 %v, p95 %v; want 4000, 5ms, 50ms within 1 %%", name, g.N(), p50, p95)
		}
	}
}

func near(got, want time.Duration) (off bool) { return (got - want).Abs() > want/100 }
