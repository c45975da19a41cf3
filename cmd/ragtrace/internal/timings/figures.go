package timings

import (
	"github.com/ragtrace/ragtrace/stages"
)

// figures are the metrics of one exchange as far as its clock can tell them.
type figures struct {
	stages.Metrics
	gaps   *stages.Gaps  // between token events, by arrival; nil where that is not known
	approx stages.Timing // of TTFT: what the server reports up to the first token
	of     []string      // the parts of approx
}

func (r *Result) figures() figures {
	f := r.Facts
	g := figures{Metrics: f.Metrics(), gaps: f.Gaps}
	switch {
	case r.Clock == ServerClock:
		g.TTFT, g.TTFA, g.TPOT = stages.Timing{}, stages.Timing{}, stages.Timing{}
		g.ITLP50, g.ITLP95, g.ITLMax, g.gaps = stages.Timing{}, stages.Timing{}, stages.Timing{}, nil
		g.E2E = f.Total
		if !f.Total.Known() {
			g.ServerStart, g.ServerEnd = stages.Timing{}, stages.Timing{}
			if g.Queue.Source == stages.Derived {
				g.Queue = stages.Timing{}
			}
		}
	case r.Clock == PipeClock && !f.Streamed && f.Total.Known():
		g.E2E = f.Total // the pipe knows less: it has seen one moment only
	}
	if r.OK() && f.Stage == stages.LLM {
		g.approximate(f)
	}
	return g
}

// approximate pieces the time to the first token together for an answer that came in one piece.
func (g *figures) approximate(f *stages.Facts) {
	if f.Streamed || !f.Prefill.Known() {
		return
	}
	for _, part := range []struct {
		name string
		stages.Timing
	}{{"load", f.Load}, {"queue", f.Queue}, {"prefill", f.Prefill}} {
		if part.Source == stages.Reported {
			g.approx.D += part.D
			g.of = append(g.of, part.name)
		}
	}
	g.approx.Source = stages.Derived
}
