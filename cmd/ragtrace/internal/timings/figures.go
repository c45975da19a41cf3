package timings

import (
	"github.com/ragtrace/ragtrace/stages"
)

// figures are the metrics of one exchange as far as its clock can tell them.
type figures struct {
	stages.Metrics
	said   reports
	gaps   *stages.Gaps  // between token events, by arrival; nil where that is not known
	approx stages.Timing // of TTFT: what the server reports up to the first token
	of     []string      // the parts of approx
}

// reports are the durations as the server reports them; none, when they cannot be in the unit that their names say.
type reports struct {
	total, load, prefill, decode stages.Timing
}

func (r *Result) figures() figures {
	f := r.Facts
	g := figures{Metrics: f.Metrics(), gaps: f.Gaps}
	if !f.Flagged(stages.FlagSuspectUnits) {
		g.said = reports{f.Total, f.Load, f.Prefill, f.Decode}
	}
	switch {
	case r.Clock == ServerClock:
		g.TTFT, g.TTFA, g.TPOT = stages.Timing{}, stages.Timing{}, stages.Timing{}
		g.ITLP50, g.ITLP95, g.ITLMax, g.gaps = stages.Timing{}, stages.Timing{}, stages.Timing{}, nil
		g.E2E = g.said.total
		if !g.said.total.Known() {
			g.ServerStart, g.ServerEnd = stages.Timing{}, stages.Timing{}
			if g.Queue.Source == stages.Derived {
				g.Queue = stages.Timing{}
			}
		}
	case r.Clock == PipeClock && !f.Streamed && g.said.total.Known():
		g.E2E = g.said.total // the pipe knows less: it has seen one moment only
	}
	if r.OK() && f.Stage == stages.LLM {
		g.approximate(f)
	}
	return g
}

// approximate pieces the time to the first token together for an answer that came in one piece.
func (g *figures) approximate(f *stages.Facts) {
	if f.Streamed || !g.said.prefill.Known() {
		return
	}
	for _, part := range []struct {
		name string
		stages.Timing
	}{{"load", g.said.load}, {"queue", f.Queue}, {"prefill", g.said.prefill}} {
		if part.Source == stages.Reported {
			g.approx.D += part.D
			g.of = append(g.of, part.name)
		}
	}
	if g.said.total.Known() { // the parts may be more than the whole, which they are cut to
		g.approx.D = min(g.approx.D, g.said.total.D)
	}
	g.approx.Source = stages.Derived
}
