package tracer

import (
	"time"

	"github.com/ragtrace/ragtrace/stages"
)

// restWorthASpan is how long the user has to be sent something after the last LLM call for a span of its own.
const restWorthASpan = time.Millisecond

// wrote is when an LLM call was at work.
type wrote struct{ start, end time.Time }

// mostWrote is how many LLM calls a question remembers; an agent may make any number.
const mostWrote = 16

// called notes an LLM call that ended. Of too many, the two noted first become one, which tells less only of an answer whose
// last byte was out when the second of them had not begun.
func (q *Question) called(start, end time.Time) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.wrote) == mostWrote {
		first, second := q.wrote[0], &q.wrote[1]
		if first.start.Before(second.start) {
			second.start = first.start
		}
		if first.end.After(second.end) {
			second.end = first.end
		}
		q.wrote = append(q.wrote[:0], q.wrote[1:]...)
	}
	q.wrote = append(q.wrote, wrote{start, end})
}

// lastCall is the end of the last LLM call that had begun at a moment; zero when there is none.
func (q *Question) lastCall(before time.Time) (end time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.wrote {
		if w.start.Before(before) && w.end.After(end) {
			end = w.end
		}
	}
	return end
}

// sent makes the stage answer, from the first byte to the user until the last.
//
// An answer is passed on while an LLM call still writes it. Readers of critical paths follow what ends last, and would lose the
// call with all its phases to a span beside it that ends later. So the span ends just before that call does, and what comes
// after the call has another of the same name, if there is much of it.
func (q *Question) sent(first, last time.Time) {
	called := q.lastCall(last)
	// Jaeger adds up whole microseconds of starts and lengths, which may come out one less.
	if before := called.Add(-2 * spanGap); first.Before(before) {
		if last.Before(before) {
			before = last
		}
		q.child(stages.Answer, first, before)
		if last.Sub(called) < restWorthASpan {
			return
		}
		first = called
	}
	if after := called.Add(spanGap); first.Before(after) {
		first = after
	}
	if last.Before(first) {
		last = first
	}
	q.child(stages.Answer, first, last)
}
