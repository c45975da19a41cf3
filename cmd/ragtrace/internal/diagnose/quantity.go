package diagnose

import "time"

// A quantity is a number that questions are compared by. The components are the first of them, in nanoseconds.
type quantity int

const (
	qE2E quantity = quantity(numComponents) + iota
	qInside
	qOutside
	qLoads  // llm.load + embed.load
	qServed // llm.queue + llm.prefill + llm.decode + llm.other
	qGaps   // gap.start + gap
	qApp    // prepare + prompt
	qCalls  // LLM calls that did not fail
	qInput  // tokens, summed over those calls
	qOutput
	qCached
	qPerToken // nanoseconds of decode for each output token but the first

	numQuantities
)

// of is the question's value; ok is false where it is unknown.
func (k quantity) of(q *Question) (v float64, ok bool) {
	p := &q.Components
	if k < quantity(numComponents) {
		return float64(p[k]), true
	}
	var d time.Duration
	switch k {
	case qE2E:
		d = q.E2E()
	case qInside:
		d = p.Inside()
	case qOutside:
		d = q.E2E() - p.Inside()
	case qLoads:
		d = p[LLMLoad] + p[EmbedLoad]
	case qServed:
		d = p[LLMQueue] + p[LLMPrefill] + p[LLMDecode] + p[LLMOther]
	case qGaps:
		d = p[GapStart] + p[Gap]
	case qApp:
		d = p[Prepare] + p[Prompt]
	case qCalls:
		n := 0
		for i := range q.Calls {
			if !q.Calls[i].Failed {
				n++
			}
		}
		return float64(n), true
	case qInput:
		return tokenSum(q, 0, func(c *Call) int64 { return c.Input })
	case qOutput:
		return tokenSum(q, 0, func(c *Call) int64 { return c.Output })
	case qCached:
		return tokenSum(q, 0, func(c *Call) int64 { return c.Cached })
	case qPerToken:
		steps, ok := tokenSum(q, 1, func(c *Call) int64 { return c.Output })
		if !ok || steps <= 0 {
			return 0, false
		}
		return float64(p[LLMDecode]) / steps, true
	}
	return float64(d), true
}

// tokenSum adds up a count, less a number for each call, over the calls that did not fail. It is unknown when one of them
// does not tell.
func tokenSum(q *Question, less int64, count func(*Call) int64) (sum float64, ok bool) {
	for i := range q.Calls {
		c := &q.Calls[i]
		if c.Failed {
			continue
		}
		n := count(c)
		if n < 0 {
			return 0, false
		}
		sum += float64(max(n-less, 0))
		ok = true
	}
	return sum, ok
}
