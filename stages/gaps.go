package stages

import "time"

// Gaps is the distribution of the times between one exchange's token events, in bounded memory. A nil *Gaps is empty.
type Gaps struct {
	exact []time.Duration
}

// Add records one gap.
func (g *Gaps) Add(d time.Duration) { g.exact = append(g.exact, d) }
