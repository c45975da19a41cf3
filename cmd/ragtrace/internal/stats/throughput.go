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

// An interval is when a question was under way, in Unix nanoseconds.
type interval struct{ start, end int64 }

// spend works out Span and Busy.
func (t *Throughput) spend(under []interval) {
	if len(under) == 0 {
		return
	}
	byStart := func(a, b interval) int { return cmp.Compare(a.start, b.start) }
	if !slices.IsSortedFunc(under, byStart) { // as they mostly are
		slices.SortFunc(under, byStart)
	}
	first, last := under[0].start, under[0].start
	for _, u := range under {
		t.Busy += time.Duration(max(u.end, last) - max(u.start, last))
		last = max(last, u.end)
	}
	t.Span = time.Duration(last - first)
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

// join adds what another one counts.
func (t *Throughput) join(o *Throughput) {
	t.Answered += o.Answered
	t.Calls += o.Calls
	t.Untold += o.Untold
	t.InputTokens += o.InputTokens
	t.OutputTokens += o.OutputTokens
}

// PerSecond is n over d; ok is false when d is 0.
func PerSecond(n int64, d time.Duration) (rate float64, ok bool) {
	if d <= 0 {
		return 0, false
	}
	return float64(n) / d.Seconds(), true
}
