package stats

import (
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A Unit is what a metric counts.
type Unit uint8

// The units.
const (
	Time   Unit = iota // nanoseconds
	Tokens             // whole ones
)

// A Metric is one figure of a question, or of each of its LLM calls.
type Metric struct {
	Name  string // as expressions and JSON write it: "ttft.client"
	Title string // as tables write it: "TTFT.client"
	About string // from where to where
	Unit  Unit
	// Part says that the metric is a share of the end-to-end time.
	Part bool

	ofQuestion func(q *diagnose.Question) (float64, bool)
	ofCall     func(c *diagnose.Call) (float64, bool)
}

// PerCall reports whether every LLM call of a question has a value of its own.
func (m *Metric) PerCall() bool { return m.ofCall != nil }

// E2E is the metric that all parts are shares of.
var E2E = &Metric{Name: "e2e", Title: "E2E", About: "Enter to the last byte of the answer",
	ofQuestion: func(q *diagnose.Question) (float64, bool) { return float64(q.E2E()), true }}

// Metrics are all metrics, in the order in which they are shown. TTFT has five rulers; values of one are never put together
// with those of another.
var Metrics = metrics()

func metrics() []*Metric {
	list := []*Metric{
		E2E,
		part("inside", "inside the LLM", func(q *diagnose.Question) time.Duration { return q.Components.Inside() }),
		part("outside", "outside the LLM", func(q *diagnose.Question) time.Duration { return q.E2E() - q.Components.Inside() }),
		{Name: "ttft", Title: "TTFT", About: "Enter to the first token at the user", ofQuestion: ttft(diagnose.RulerUser)},
		{Name: "ttft.byte", Title: "TTFT.byte", About: "Enter to the answer's first byte at the user, where no span tells of its first token",
			ofQuestion: ttft(diagnose.RulerByte)},
		{Name: "ttft.app", Title: "TTFT.app", About: "Enter to the first token in the application, where no span tells when the user got it",
			ofQuestion: ttft(diagnose.RulerClient)},
		pace("ttft.client", "TTFT.client", "an LLM call's start to its first token at the client",
			func(p *diagnose.Pace) *time.Duration { return p.TTFT }),
		pace("ttft.server", "TTFT.server", "an LLM call's arrival at the server to its first token, as the server reports",
			func(p *diagnose.Pace) *time.Duration { return p.TTFTServer }),
		pace("ttfa", "TTFA", "an LLM call's start to the first token of the answer, reasoning and tool calls aside",
			func(p *diagnose.Pace) *time.Duration { return p.TTFA }),
		pace("tpot", "TPOT", "time for each output token after the first", func(p *diagnose.Pace) *time.Duration { return p.TPOT }),
		pace("itl", "ITL", "the median gap between two chunks of a call", func(p *diagnose.Pace) *time.Duration { return p.ITLP50 }),
		pace("itl.p95", "ITL.p95", "the 95th percentile of those gaps", func(p *diagnose.Pace) *time.Duration { return p.ITLP95 }),
		{Name: "call", Title: "call", About: "one LLM call as its client sees it",
			ofCall: func(c *diagnose.Call) (float64, bool) { return float64(c.End - c.Start), true }},
		{Name: "chain", Title: "chain", About: "the first LLM call's start to the last one's end, of questions with several", ofQuestion: chain},
	}
	for c := diagnose.Component(0); ; c++ {
		if _, known := diagnose.ComponentByName(c.String()); !known {
			break
		}
		list = append(list, part(c.String(), componentAbout(c), func(q *diagnose.Question) time.Duration { return q.Components[c] }))
	}
	return append(list,
		part("unattributed", "covered by no stage: gap.start and gap",
			func(q *diagnose.Question) time.Duration {
				return q.Components[diagnose.GapStart] + q.Components[diagnose.Gap]
			}),
		tokens("tokens.input", "tokens in", "input tokens of an LLM call", func(c *diagnose.Call) int64 { return c.Input }),
		tokens("tokens.cached", "cached", "input tokens of an LLM call that were in the prefix cache", func(c *diagnose.Call) int64 { return c.Cached }),
		tokens("tokens.output", "tokens out", "output tokens of an LLM call", func(c *diagnose.Call) int64 { return c.Output }),
	)
}

func componentAbout(c diagnose.Component) string {
	if c.InsideLLM() {
		return "a component inside the LLM"
	}
	return "a component outside the LLM"
}

func part(name, about string, of func(q *diagnose.Question) time.Duration) *Metric {
	return &Metric{Name: name, Title: name, About: about, Part: true,
		ofQuestion: func(q *diagnose.Question) (float64, bool) { return float64(of(q)), true }}
}

func pace(name, title, about string, of func(p *diagnose.Pace) *time.Duration) *Metric {
	return &Metric{Name: name, Title: title, About: about, ofCall: func(c *diagnose.Call) (float64, bool) {
		if d := of(&c.Pace); d != nil {
			return float64(*d), true
		}
		return 0, false
	}}
}

func tokens(name, title, about string, of func(c *diagnose.Call) int64) *Metric {
	return &Metric{Name: name, Title: title, About: about, Unit: Tokens, ofCall: func(c *diagnose.Call) (float64, bool) {
		n := of(c)
		return float64(n), n >= 0
	}}
}

func ttft(ruler diagnose.Ruler) func(q *diagnose.Question) (float64, bool) {
	return func(q *diagnose.Question) (float64, bool) { return float64(q.TTFT), q.TTFTRuler == ruler }
}

// chain is known for questions of which two calls or more did not fail.
func chain(q *diagnose.Question) (float64, bool) {
	var start, end int64
	n := 0
	for i := range q.Calls {
		c := &q.Calls[i]
		if c.Failed {
			continue
		}
		if n == 0 {
			start = c.Start
		}
		n++
		end = max(end, c.End)
	}
	return float64(end - start), n >= 2
}

// Find is the metric of that name, in any case and with dots or underscores.
func Find(name string) (m *Metric, ok bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "_", ".")
	for _, m := range Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return nil, false
}

// Names are the names of all metrics.
func Names() []string {
	names := make([]string, len(Metrics))
	for i, m := range Metrics {
		names[i] = m.Name
	}
	return names
}
