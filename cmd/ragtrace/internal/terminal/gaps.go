package terminal

import (
	"cmp"
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/stages"
)

// A stretch is a part of the question's time.
type stretch struct{ start, end time.Duration }

// gaps are the stretches of top that no stage below it covers.
func gaps(top *bar) []stretch {
	var covered []stretch
	var collect func(b *bar)
	collect = func(b *bar) {
		if b.stage != "" && b.stage != string(stages.Question) {
			covered = append(covered, stretch{b.start, b.end})
		}
		for _, c := range b.below {
			collect(c)
		}
	}
	for _, c := range top.below {
		collect(c)
	}
	slices.SortFunc(covered, func(a, b stretch) int { return cmp.Compare(a.start, b.start) })
	var free []stretch
	at := top.start
	for _, c := range covered {
		if c.start > at {
			free = append(free, stretch{at, c.start})
		}
		at = max(at, c.end)
	}
	if at < top.end {
		free = append(free, stretch{at, top.end})
	}
	return free
}
