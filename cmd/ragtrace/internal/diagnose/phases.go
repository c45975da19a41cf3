package diagnose

import (
	"math"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A phase is a stretch of the LLM server's time that no span stands for.
type phase struct {
	stage      Component
	start, end int64
}

// eachPhase visits the phases of a call, from spans and made ones.
func (c *call) eachPhase(t *tree, visit func(stage Component, start, end int64)) {
	for _, i := range c.phases {
		n := &t.nodes[i]
		visit(n.stage, n.start, n.end)
	}
	for _, p := range c.made {
		visit(p.stage, p.start, p.end)
	}
}

// phasesKnown reports whether anything tells how the server spent the call.
func (c *call) phasesKnown() bool { return len(c.phases)+len(c.made) > 0 }

// reportedPhases makes the phases of calls that have no phase spans but report durations, and checks the durations of all.
func (t *tree) reportedPhases() {
	for i := range t.calls {
		c := &t.calls[i]
		carriers := c.servers
		if !c.isServer {
			carriers = append([]int{c.at}, c.servers...)
		}
		var own, latencies []part
		var latencyStart int64
		for _, at := range carriers {
			n := &t.nodes[at]
			if parts := t.ownParts(n); own == nil {
				own = parts
			}
			if parts := t.latencyParts(n); latencies == nil {
				latencies, latencyStart = parts, n.start
			}
		}
		n := &t.nodes[c.at]
		if sum(own) > (n.end-n.start)/10*11+int64(50*time.Millisecond) {
			t.flag(FlagPartsExceedWhole)
		}
		switch {
		case len(c.phases) > 0:
		case latencies != nil:
			c.make(n, latencies, latencyStart)
		case own != nil:
			c.make(n, own, n.end-sum(own))
		}
	}
}

// checkDurations raises the flag for durations in our own vocabulary and vLLM's that cannot be true of the span that carries
// them.
func (t *tree) checkDurations() {
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.span == nil {
			continue
		}
		for key, v := range n.span.Attrs {
			unit := 1.
			switch {
			case strings.HasPrefix(key, "gen_ai.latency."):
				unit = t.latencyUnit(n)
			case !strings.HasSuffix(key, ".duration") || !strings.HasPrefix(key, "ragtrace."):
				continue
			}
			if s, ok := number(v); !ok || badDuration(s*unit, n) {
				t.flag(FlagBadValue)
			}
		}
	}
}

// A part is a reported duration of one phase.
type part struct {
	stage Component
	ns    int64
}

func sum(parts []part) int64 {
	var ns int64
	for _, p := range parts {
		ns += p.ns
	}
	return ns
}

// make puts parts one after another, not outside the call.
func (c *call) make(n *node, parts []part, start int64) {
	for _, p := range parts {
		from, to := max(start, n.start), min(start+p.ns, n.end)
		if from <= to {
			c.made = append(c.made, phase{p.stage, from, to})
		}
		start += p.ns
	}
}

// ownParts are the durations that our tracer writes beside the phase spans, in the order in which they happen, or else those
// that OpenLLMetry passes on from Ollama, in nanoseconds as they came
// (https://github.com/traceloop/openllmetry/pull/4194, proposed).
func (t *tree) ownParts(n *node) []part {
	own := t.parts(n, []namedPart{
		{"ragtrace.llm.load.duration", LLMLoad},
		{"ragtrace.llm.queue.duration", LLMQueue},
		{"ragtrace.llm.prefill.duration", LLMPrefill},
		{"ragtrace.llm.decode.duration", LLMDecode},
	}, 1)
	if own != nil {
		return own
	}
	return t.parts(n, []namedPart{
		{"llm.ollama.load_duration", LLMLoad},
		{"llm.ollama.prompt_eval_duration", LLMPrefill},
		{"llm.ollama.eval_duration", LLMDecode},
	}, 1e-9)
}

// latencyParts are the durations on vLLM's and SGLang's server spans. Their names have no unit; both write seconds, a fork
// writes nanoseconds.
func (t *tree) latencyParts(n *node) []part {
	unit := t.latencyUnit(n)
	parts := t.parts(n, []namedPart{
		{"gen_ai.latency.time_in_queue", LLMQueue},
		{"gen_ai.latency.time_in_model_prefill", LLMPrefill},
		{"gen_ai.latency.time_in_model_decode", LLMDecode},
	}, unit)
	if ttft, ok := n.span.Attrs.Float("gen_ai.latency.time_to_first_token"); ok {
		subtractQueue(parts, int64(seconds(ttft*unit)))
	}
	return parts
}

// subtractQueue corrects a prefill that is counted from dispatch, SGLang's, and so has the queue in it: then it is as long
// as the time to the first token, where vLLM's is shorter by the queue.
func subtractQueue(parts []part, ttft int64) {
	if len(parts) < 2 || parts[0].stage != LLMQueue || parts[1].stage != LLMPrefill {
		return
	}
	queue, prefill := parts[0].ns, &parts[1].ns
	if *prefill >= queue && abs(ttft-*prefill) < abs(ttft-*prefill-queue) {
		*prefill -= queue
	}
}

func abs(n int64) int64 { return max(n, -n) }

// latencyUnit is the unit of the gen_ai.latency attributes on a span, in seconds. It is nanoseconds only when every value
// is impossible as seconds and all of them fit into the span as nanoseconds.
func (t *tree) latencyUnit(n *node) float64 {
	const nano = 1e-9
	limit := 10 * float64(n.end-n.start) * nano
	seen := false
	for key, v := range n.span.Attrs {
		if !strings.HasPrefix(key, "gen_ai.latency.") {
			continue
		}
		value, ok := number(v)
		if !ok || value == 0 {
			continue
		}
		if !(value > limit) || !(value*nano <= limit/8) {
			return 1
		}
		seen = true
	}
	if !seen {
		return 1
	}
	t.flag(FlagSuspectUnits)
	return nano
}

type namedPart struct {
	key   string
	stage Component
}

// parts reads durations in the unit given in seconds. Bad ones count as absent.
func (t *tree) parts(n *node, names []namedPart, unit float64) []part {
	var parts []part
	for _, name := range names {
		v, present := n.span.Attrs[name.key]
		if !present {
			continue
		}
		value, ok := number(v)
		d := seconds(value * unit)
		if !ok || badDuration(value*unit, n) {
			t.flag(FlagBadValue)
			continue
		}
		parts = append(parts, part{name.stage, int64(d)})
	}
	return parts
}

// badDuration reports whether a number of seconds cannot be true of a span.
func badDuration(s float64, n *node) bool {
	// Written so that NaN is bad.
	return !(s >= 0 && s <= maxSpan.Seconds()) || s > 10*time.Duration(n.end-n.start).Seconds()
}

func number(v any) (float64, bool) {
	return model.Attrs{"": v}.Float("")
}

// seconds converts, with what is out of range cut to the longest duration; NaN is 0.
func seconds(s float64) time.Duration {
	switch ns := s * 1e9; {
	case ns != ns:
		return 0
	case ns >= math.MaxInt64:
		return math.MaxInt64
	case ns <= math.MinInt64:
		return math.MinInt64
	default:
		return time.Duration(ns)
	}
}
