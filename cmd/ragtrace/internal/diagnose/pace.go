package diagnose

import (
	"slices"
	"strings"
	"time"
)

// providerKeys name whose API a call speaks, the newest name first: OpenTelemetry, OpenInference.
var providerKeys = []string{"gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system"}

// provider is in lower case: OpenLLMetry writes "Ollama".
func (t *tree) provider(c *call) string {
	for _, i := range append([]int{c.at}, c.servers...) {
		if name := firstString(t.nodes[i].span.Attrs, providerKeys); name != "" {
			return strings.ToLower(name)
		}
	}
	return ""
}

// Names of figures that are already what they are called, in seconds.
var (
	ttfaKeys   = []string{"ragtrace.llm.time_to_first_answer"}
	tpotKeys   = []string{"ragtrace.llm.time_per_output_token", "gen_ai.server.time_per_output_token"}
	itlP50Keys = []string{"ragtrace.llm.inter_chunk.p50"}
	itlP95Keys = []string{"ragtrace.llm.inter_chunk.p95"}
)

// pace reads how the tokens of a call came. Of a stream that was held back on its way, what the client saw is no measure of
// the model: only the server's figures count then.
func (t *tree) pace(c *call, output int64) Pace {
	var p Pace
	if _, d, ok := t.firstTokenBy(c, RulerServer); ok {
		p.TTFTServer = &d
	}
	n := &t.nodes[c.at]
	if buffered(n) {
		p.TPOT = t.decodePace(c, output)
		return p
	}
	if _, d, ok := t.firstTokenBy(c, RulerClient); ok {
		p.TTFT = &d
	}
	p.TTFA = t.figure(c, ttfaKeys)
	if p.TTFA == nil && p.TTFT != nil && answersAtOnce(n) {
		p.TTFA = p.TTFT
	}
	p.ITLP50, p.ITLP95 = t.figure(c, itlP50Keys), t.figure(c, itlP95Keys)
	p.TPOT = t.figure(c, tpotKeys)
	if p.TPOT == nil {
		p.TPOT = t.decodePace(c, output)
	}
	if p.TPOT == nil && p.TTFT != nil && output > 1 && !t.failedCall(c) {
		each := max(time.Duration(n.end-n.start)-*p.TTFT, 0) / time.Duration(output-1)
		p.TPOT = &each
	}
	return p
}

// decodePace is the server's decoding time for each token after the first; nil when either is unknown.
func (t *tree) decodePace(c *call, output int64) *time.Duration {
	if output <= 1 {
		return nil
	}
	var decode int64
	c.eachPhase(t, func(stage Component, start, end int64) {
		if stage == LLMDecode {
			decode += end - start
		}
	})
	if decode == 0 {
		return nil
	}
	each := time.Duration(decode / (output - 1))
	return &each
}

// figure is a number of seconds on a call, else on its server span; nil when none of them has it, or a bad one.
func (t *tree) figure(c *call, keys []string) *time.Duration {
	for _, i := range append([]int{c.at}, c.servers...) {
		n := &t.nodes[i]
		for _, key := range keys {
			v, present := n.span.Attrs[key]
			if !present {
				continue
			}
			s, ok := number(v)
			if !ok || badDuration(s, n) {
				t.flag(FlagBadValue)
				continue
			}
			d := seconds(s)
			return &d
		}
	}
	return nil
}

// buffered reports whether the tracer saw that something held the stream back.
func buffered(n *node) bool {
	flags, _ := n.span.Attrs["ragtrace.flags"].([]any)
	return slices.Contains(flags, any("buffered_stream"))
}

// answersAtOnce reports whether the first token of a call was one of the answer. Our tracer names the time of the answer's
// first token when it differs from the first token's; it cannot when there was nothing but reasoning or tool calls.
func answersAtOnce(n *node) bool {
	a := n.span.Attrs
	if a.String("ragtrace.stage") == "" {
		return false
	}
	reasoning, _ := a.Int("gen_ai.usage.reasoning.output_tokens")
	tools, _ := a.Int("ragtrace.llm.tool_calls")
	return reasoning == 0 && tools == 0
}
