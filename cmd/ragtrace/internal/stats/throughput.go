package stats

import (
	"cmp"
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A Throughput is what was done in a stretch of time, by the questions whose times are known. It is zero without any.
type Throughput struct {
	Answered int           // questions that ended well
	Span     time.Duration // from the first question's start to the last end
	Busy     time.Duration // of Span, with a question under way
	// Tokens of the calls that did not fail, where they are told; Untold counts the calls that do not tell both.
	InputTokens, OutputTokens int64
	Calls, Untold             int
}

// Tokens are those read and those written in all calls; ok is false when some call does not tell, and so nobody knows.
func (t *Throughput) Tokens() (all, output int64, ok bool) {
	return t.InputTokens + t.OutputTokens, t.OutputTokens, t.Calls > 0 && t.Untold == 0
}

func throughput(results []diagnose.Result, f Filter) Throughput {
	var t Throughput
	type interval struct{ start, end int64 }
	var under []interval
	for i := range results {
		r := &results[i]
		if !f.Question(r) || !r.Timed {
			continue
		}
		under = append(under, interval{r.Question.Start, r.Question.End})
		if Compared(r) {
			t.Answered++
		}
		for i := range r.Question.Calls {
			t.add(&r.Question.Calls[i])
		}
	}
	if len(under) == 0 {
		return t
	}
	slices.SortFunc(under, func(a, b interval) int { return cmp.Compare(a.start, b.start) })
	first, last := under[0].start, under[0].start
	for _, u := range under {
		t.Busy += time.Duration(max(u.end, last) - max(u.start, last))
		last = max(last, u.end)
	}
	t.Span = time.Duration(last - first)
	return t
}

func (t *Throughput) add(c *diagnose.Call) {
	if c.Failed {
		return
	}
	t.Calls++
	if c.Input < 0 || c.Output < 0 {
		t.Untold++
	}
	t.InputTokens += max(c.Input, 0)
	t.OutputTokens += max(c.Output, 0)
}

// PerSecond is n over d; ok is false when d is 0.
func PerSecond(n int64, d time.Duration) (rate float64, ok bool) {
	if d <= 0 {
		return 0, false
	}
	return float64(n) / d.Seconds(), true
}
