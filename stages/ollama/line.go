package ollama

import (
	"time"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// A line is what one line, or the body of an answer that was not streamed, says.
type line struct {
	answer, reasoning bool
	toolCalls         int
	done              bool
	formed            bool // it has what every line has
	doneReason        string
	err               string
	stamp             time.Time
	total, load       stages.Timing
	prefill, decode   stages.Timing
	input, cached     stages.Count
	output            stages.Count
	dimensions        int
	bad               [badFields]string
	bads              int
}

// badFields is how many fields of one line can hold a value that is no duration.
const badFields = 4

// duration reads nanoseconds. Runners before v0.16 send the smallest or largest int64 when no token was made.
func (l *line) duration(t *stages.Timing, field string, v stream.Value) {
	ns, ok := v.Int()
	if !ok {
		ns = 0
	}
	var bad bool
	if *t, bad = stages.ReportedNanos(ns); bad && l.bads < badFields {
		l.bad[l.bads] = field
		l.bads++
	}
}
