package tracer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ragtrace/ragtrace/stages"
)

func TestFit(t *testing.T) {
	const us = time.Microsecond
	phase := func(name string, start, end time.Duration) stages.Phase {
		return stages.Phase{Name: name, Start: start * us, End: end * us}
	}
	got := fit([]stages.Phase{
		phase("load", 100, 500), // touches the next
		phase("dns", 0, 50),     // out of order
		phase("prefill", 500, 800),
		phase("short", 800, 801),   // nothing left beside its gap
		phase("decode", 801, 1200), // beyond the end
		phase("late", 1300, 1400),
	}, 1000*us)
	want := []stages.Phase{
		phase("dns", 0, 50), phase("load", 100, 499), phase("prefill", 500, 799), phase("decode", 801, 1000),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever the phases, they come out inside the call, in order, and apart.
func TestFitAlways(t *testing.T) {
	moment := rapid.Int64Range(-1_000_000, 5_000_000)
	rapid.Check(t, func(t *rapid.T) {
		var ps []stages.Phase
		for range rapid.IntRange(0, 8).Draw(t, "n") {
			ps = append(ps, stages.Phase{Start: time.Duration(moment.Draw(t, "start")), End: time.Duration(moment.Draw(t, "end"))})
		}
		end := time.Duration(rapid.Int64Range(0, 4_000_000).Draw(t, "call"))
		last := time.Duration(-spanGap)
		for _, p := range fit(ps, end) {
			if p.Start < last+spanGap || p.End <= p.Start || p.End > end {
				t.Fatalf("phase %v to %v after one that ended at %v, in a call of %v", p.Start, p.End, last, end)
			}
			last = p.End
		}
	})
}
