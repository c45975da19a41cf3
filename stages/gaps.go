package stages

import (
	"math"
	"slices"
	"time"
)

// Limits of a Gaps.
const (
	maxExactGaps = 1024 // beyond, gaps are counted in buckets

	burstEvents = 8                      // so many events at one moment ...
	burstWait   = 250 * time.Millisecond // ... after so long a wait were held back by somebody
)

// Gaps is the distribution of the times between one exchange's token events, in bounded memory: exact up to 1024 gaps,
// beyond that within 1 %. The zero value and a nil *Gaps are empty.
type Gaps struct {
	exact   []time.Duration
	buckets *gapBuckets // set once exact was full
	n       int
	max     time.Duration

	run      int           // events at the present moment, less one
	wait     time.Duration // the gap before them
	waited   bool          // wait is set: the present moment is not the first
	firstRun int           // run of the first moment
	held     bool          // a burst came after a long wait
}

// Add records one gap. Negative gaps count as zero.
func (g *Gaps) Add(d time.Duration) {
	d = max(d, 0)
	g.n++
	g.max = max(g.max, d)
	g.follow(d)
	switch {
	case g.buckets != nil:
		g.buckets.add(d)
	case len(g.exact) < maxExactGaps:
		g.exact = append(g.exact, d)
	default:
		g.buckets = new(gapBuckets)
		for _, e := range g.exact {
			g.buckets.add(e)
		}
		g.exact = nil
		g.buckets.add(d)
	}
}

// follow watches for events that come at one moment.
func (g *Gaps) follow(d time.Duration) {
	if d > 0 {
		g.run, g.wait, g.waited = 0, d, true
		return
	}
	g.run++
	if !g.waited {
		g.firstRun = g.run
	} else if g.run+1 >= burstEvents && g.wait > burstWait {
		g.held = true
	}
}

// burst reports whether at least eight events came at one moment after nothing had come for more than 250 ms. The wait
// for the first event is the caller's to know.
func (g *Gaps) burst(beforeFirst time.Duration) bool {
	return g != nil && (g.held || g.firstRun+1 >= burstEvents && beforeFirst > burstWait)
}

// N is the number of gaps.
func (g *Gaps) N() int {
	if g == nil {
		return 0
	}
	return g.n
}

// Max is the longest gap, 0 when there is none.
func (g *Gaps) Max() time.Duration {
	if g == nil {
		return 0
	}
	return g.max
}

// Quantile is the q-quantile (0 to 1) with linear interpolation between neighbours, as numpy's percentile has it by
// default. It reports false when there is no gap.
func (g *Gaps) Quantile(q float64) (time.Duration, bool) {
	if g.N() == 0 {
		return 0, false
	}
	at := func(rank int) time.Duration { return g.buckets.at(rank) }
	if g.buckets == nil {
		sorted := slices.Clone(g.exact)
		slices.Sort(sorted)
		at = func(rank int) time.Duration { return sorted[rank] }
	}
	pos := min(max(q, 0), 1) * float64(g.n-1)
	lo := int(pos)
	hi := min(lo+1, g.n-1)
	a, b := at(lo), at(hi)
	d := a + time.Duration(math.Round((pos-float64(lo))*float64(b-a)))
	return min(d, g.max), true
}
