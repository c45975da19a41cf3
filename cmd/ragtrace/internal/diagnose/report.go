package diagnose

import (
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A Report is the answer. Its JSON keys are stable; durations are in milliseconds with three decimals there.
type Report struct {
	Questions []Result // by session (in order of its first start), then number
	Verdict   Verdict
}

// A Result is one question as a report shows it. All durations are whole microseconds; without Timed they are absent
// (null in JSON).
type Result struct {
	Session string
	Number  int // as the spans name it, else its place in the session
	TraceID model.TraceID
	Timed   bool
	Start   time.Time // UTC
	// IdleBefore runs from the end of the session's questions before this one to its start: 0 when they overlap, nil for
	// the first.
	IdleBefore *time.Duration
	E2E        time.Duration
	// TTFT is measured from Enter with the ruler that TTFTRuler names; nil when no span tells it.
	TTFT         *time.Duration
	TTFTRuler    Ruler
	FirstByte    *time.Duration // from Enter to the answer's first byte, which need not be a token's; nil when unknown
	Status       Status
	Inside       time.Duration // InsideLLM components
	Outside      time.Duration // E2E - Inside
	Unattributed time.Duration // gap.start + gap
	Stages       []Stage       // non-zero components in order of precedence; they add up to E2E
	Cold         []Cold        // largest first
	Flags        []string      // sorted
	// Slow is set for the questions of Verdict.Slow.
	Slow bool
	// Question is what Judge was given of it; not in JSON.
	Question *Question
}

// A Stage is the time of one component.
type Stage struct {
	Component Component
	Time      time.Duration
}

// A Cold is a cost that comes from something not being ready, whether or not the question took long.
type Cold struct {
	Cause     string // llm_load, embed_load, connection_setup, search_index_cold, rerank_cold, lazy_import
	Component Component
	Time      time.Duration
}

// A Side says where the excess of a slow question went.
type Side string

const (
	SideInside    Side = "inside"    // at least three quarters of it inside the LLM
	SideOutside   Side = "outside"   // at least three quarters of it outside
	SideBoth      Side = "both"      // anything between
	SideNone      Side = "none"      // no question stands out and no cost is shared by most
	SideUndecided Side = "undecided" // the numbers do not carry an answer
)

// A Verdict is the report's answer.
type Verdict struct {
	Slow []Slow // worst first
	Side Side
	// InsideShare is the part of the excess inside the LLM, from 0 to 1; nil when no question is slow or the side is
	// undecided.
	InsideShare *float64
	Causes      []Cause // dominant first; then the costs that most questions share
	Text        string  // the verdict in one to three plain sentences
	Advice      []Hint  // a line for each of Causes, in their order
}

// A Slow is a question that took far longer than its peers.
type Slow struct {
	Session     string
	Number      int
	TraceID     model.TraceID
	E2E         time.Duration
	Baseline    time.Duration // median E2E of the other ok questions of its service and pipeline
	Over        time.Duration // E2E - Baseline
	InsideOver  time.Duration // excess of the inside over the others' median; may be negative
	OutsideOver time.Duration
	Side        Side
	Causes      []Cause // dominant first
}

// A Cause is a named reason with the time it cost: for slow questions the excess over the others' median, for a cost that
// most questions share the sum over them.
type Cause struct {
	Cause string
	Time  time.Duration
}

// A Hint is what to do about a cause.
type Hint struct {
	Cause string
	Text  string
}
