package stages

import "time"

// ChoiceEvents are the events of an OpenAI stream that have choices, whatever is in them: what `vllm bench serve` counts
// as output, the role that is sent ahead and the finish included.
type ChoiceEvents struct {
	First, Last Timing
	Gaps        *Gaps
}

// Add records one such event.
func (e *ChoiceEvents) Add(at time.Duration) {
	if e.Last.Known() {
		if e.Gaps == nil {
			e.Gaps = new(Gaps)
		}
		e.Gaps.Add(at - e.Last.D)
	} else {
		e.First = Timing{at, Measured}
	}
	e.Last = Timing{at, Measured}
}

// BenchMetrics are the figures of one exchange as `vllm bench serve` defines them (benchmarks/serve.py,
// calculate_metrics), to compare with its reports. ITL are the gaps to pool over exchanges.
type BenchMetrics struct {
	TTFT, TPOT, E2EL Timing
	ITL              *Gaps
}

// BenchMetrics works them out. Exchanges that are not ok, or without an event, have none, as there. An answer without a
// token count has no TPOT: the tool would tokenise the text again.
func (f *Facts) BenchMetrics() BenchMetrics {
	e := &f.ChoiceEvents
	if f.Status != StatusOK || !e.First.Known() {
		return BenchMetrics{}
	}
	b := BenchMetrics{TTFT: e.First, E2EL: e.Last, ITL: e.Gaps}
	if n := f.OutputTokens.N; n > 1 {
		b.TPOT = Timing{(e.Last.D - e.First.D) / time.Duration(n-1), Derived}
	}
	return b
}
