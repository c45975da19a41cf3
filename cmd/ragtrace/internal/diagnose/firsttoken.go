package diagnose

import (
	"math"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A tokenName is a name under which a call tells when its first chunk or token came.
type tokenName struct {
	key   string
	read  func(v any, n *node) (fromStart time.Duration, ok bool)
	ruler Ruler
}

// tokenNames are asked in this order: what the application saw before what the server reports.
var tokenNames = []tokenName{
	{"gen_ai.response.time_to_first_chunk", inUnit(1), RulerClient},
	{"gen_ai.response.time_to_first_token", inUnit(1), RulerClient},
	{"langfuse.observation.completion_start_time", atTime, RulerClient},
	{"langwatch.timestamps", atField("first_token_at"), RulerClient},
	{"ai.response.msToFirstChunk", inUnit(1e-3), RulerClient},
	{"ragtrace.llm.time_to_first_token", inUnit(1), RulerServer},
	{"gen_ai.server.time_to_first_token", inUnit(1), RulerServer},
	{"gen_ai.latency.time_to_first_token", inUnit(1), RulerServer},
}

// firstEvents are span events that some tracers record instead, at the moment the first chunk came.
var firstEvents = []string{"first_chunk", "gen_ai.content.completion.chunk", "First Token Stream Event"}

func inUnit(unit float64) func(any, *node) (time.Duration, bool) {
	return func(v any, n *node) (time.Duration, bool) {
		value, ok := number(v)
		if !ok || value < 0 || math.IsNaN(value) {
			return 0, false
		}
		d := seconds(value * unit)
		return d, d <= time.Duration(n.end-n.start)+time.Millisecond
	}
}

func atTime(v any, n *node) (time.Duration, bool) {
	text, _ := v.(string)
	if len(text) > 1 && text[0] == '"' { // some SDKs write it as JSON
		text = text[1 : len(text)-1]
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, false
	}
	d := at.Sub(time.Unix(0, n.span.Start))
	return d, d >= 0 && d <= time.Duration(n.end-n.start)+time.Millisecond
}

// atField reads a moment in Unix milliseconds out of a JSON object.
func atField(name string) func(any, *node) (time.Duration, bool) {
	return func(v any, n *node) (time.Duration, bool) {
		at, ok := fieldsOf(v).Float(name)
		if !ok {
			return 0, false
		}
		d := seconds(at/1000 - float64(n.span.Start)/1e9)
		// Whole milliseconds may round down to before the start.
		return max(d, 0), d > -time.Millisecond && d <= time.Duration(n.end-n.start)+time.Millisecond
	}
}

// firstToken is when a call's first chunk came, on the root's clock. A time that does not lie in its span is no time.
func (t *tree) firstToken(c *call) (at int64, ruler Ruler) {
	for _, ruler := range []Ruler{RulerClient, RulerServer} {
		if n, d, ok := t.firstTokenBy(c, ruler); ok {
			return n.start + int64(d), ruler
		}
	}
	return 0, RulerNone
}

// firstTokenBy is when a call's first chunk came by one ruler, from the start of the span that tells it.
func (t *tree) firstTokenBy(c *call, ruler Ruler) (carrier *node, fromStart time.Duration, ok bool) {
	carriers := append([]int{c.at}, c.servers...)
	for _, name := range tokenNames {
		if name.ruler != ruler {
			continue
		}
		for _, i := range carriers {
			n := &t.nodes[i]
			if v, present := n.span.Attrs[name.key]; present {
				read := name.read
				if strings.HasPrefix(name.key, "gen_ai.latency.") {
					read = inUnit(t.latencyUnit(n))
				}
				if d, ok := read(v, n); ok {
					return n, d, true
				}
				if name.key != "langwatch.timestamps" { // which need not have one
					t.flag(FlagBadValue)
				}
			}
		}
	}
	if ruler == RulerClient {
		n := &t.nodes[c.at]
		for _, name := range firstEvents {
			if at, ok := firstEvent(n.span, name); ok {
				return n, time.Duration(at - n.span.Start), true
			}
		}
	}
	return nil, 0, false
}

func firstEvent(s *model.Span, name string) (at int64, ok bool) {
	for _, e := range s.Events {
		if e.Name == name && e.Time >= s.Start && e.Time <= s.End && (!ok || e.Time < at) {
			at, ok = e.Time, true
		}
	}
	return at, ok
}

// answerStart is when the first byte of the answer went to the user.
func (t *tree) answerStart() (at int64, ok bool) {
	for i := range t.nodes[1:] {
		if n := &t.nodes[1+i]; n.stage == Answer && (!ok || n.start < at) {
			at, ok = n.start, true
		}
	}
	return at, ok
}

// answering is the call that answers: the last that streamed and did not fail, else the last that did not fail, else the
// last; nil when there is none.
func (t *tree) answering() *call {
	var best *call
	rank := func(c *call) int {
		switch {
		case t.failedCall(c):
			return 0
		case !t.streamed(c):
			return 1
		}
		return 2
	}
	for i := range t.calls {
		c := &t.calls[i]
		if c.isServer {
			continue
		}
		if best == nil || rank(c) > rank(best) || rank(c) == rank(best) && t.laterCall(c, best) {
			best = c
		}
	}
	return best
}

// streamed reports whether a call streamed. One that does not say so did when it tells of a first chunk.
func (t *tree) streamed(c *call) bool {
	if on, told := streamFlag(t.nodes[c.at].span.Attrs); told {
		return on
	}
	_, _, ok := t.firstTokenBy(c, RulerClient)
	return ok
}

// arrival is when the first token of the answering call reached the application. Only of a stream can that be seen.
func (t *tree) arrival() (at int64, ok bool) {
	c := t.answering()
	if c == nil || !t.streamed(c) {
		return 0, false
	}
	n, d, ok := t.firstTokenBy(c, RulerClient)
	if !ok {
		return 0, false
	}
	return n.start + int64(d), true
}

// painted is when the page that the question was asked in first showed some of the answer, as it reported.
func (t *tree) painted() (at int64, ok bool) {
	root := &t.nodes[0]
	v, told := root.span.Attrs["ragtrace.user.time_to_first_paint"]
	if !told {
		return 0, false
	}
	d, ok := inUnit(1)(v, root)
	if !ok {
		t.flag(FlagBadValue)
		return 0, false
	}
	return min(root.start+int64(d), root.end), true
}

// ttft is the time from Enter to the first token that the user, or else the application, saw. What reached the user before
// the application had a token was none.
func (t *tree) ttft() (time.Duration, Ruler) {
	root := &t.nodes[0]
	at, ruler := t.firstSeen()
	if ruler == RulerNone || at < root.start || at > root.end {
		return 0, RulerNone
	}
	return time.Duration(at - root.start), ruler
}

func (t *tree) firstSeen() (at int64, ruler Ruler) {
	token, tokenKnown := t.arrival()
	answer, answered := t.answerStart()
	painted, paints := t.painted()
	c := t.answering()
	switch {
	case len(t.calls) == 0:
		return 0, RulerNone
	case paints:
		return max(painted, token), RulerUser
	case answered && tokenKnown:
		return max(answer, token), RulerUser
	case answered && (c == nil || !t.failedCall(c)):
		return answer, RulerByte
	case c == nil || answered:
		return 0, RulerNone
	}
	return t.firstToken(c)
}

// firstByte is the time from Enter to the first byte of the answer to the user; nil when no span tells it.
func (t *tree) firstByte() *time.Duration {
	root := &t.nodes[0]
	at, ok := t.answerStart()
	if !ok || at < root.start || at > root.end {
		return nil
	}
	d := time.Duration(at - root.start)
	return &d
}

// Of a decode phase of at least heldMinimum, tokens are held back when the first shows after heldLate of it, although a
// free stream shows it before heldEarly.
const (
	heldMinimum = 500 * time.Millisecond
	heldLate    = 0.8
	heldEarly   = 0.5
)

// heldBack says who kept the tokens of the last call back, although it streamed.
func (t *tree) heldBack() HeldBack {
	c := t.lastCall()
	if c == nil || !streams(t.nodes[c.at].span.Attrs) {
		return HeldByNobody
	}
	start, end := int64(math.MaxInt64), int64(math.MinInt64)
	c.eachPhase(t, func(stage Component, from, to int64) {
		if stage == LLMDecode {
			start, end = min(start, from), max(end, to)
		}
	})
	if end < start || end-start < int64(heldMinimum) {
		return HeldByNobody
	}
	over := func(at int64) float64 { return float64(at-start) / float64(end-start) }
	first, ruler := t.firstToken(c)
	if ruler != RulerClient {
		return HeldByNobody
	}
	if over(first) >= heldLate {
		return HeldByGateway
	}
	if answer, ok := t.answerStart(); ok && over(first) < heldEarly && over(answer) >= heldLate {
		return HeldByApp
	}
	return HeldByNobody
}

func streams(a model.Attrs) bool {
	on, _ := streamFlag(a)
	return on
}

// streamFlag is what a call says of streaming.
func streamFlag(a model.Attrs) (on, told bool) {
	for _, key := range []string{"gen_ai.request.stream", "gen_ai.is_streaming", "llm.is_streaming"} {
		if on, ok := a.Bool(key); ok {
			return on, true
		}
	}
	return false, false
}
