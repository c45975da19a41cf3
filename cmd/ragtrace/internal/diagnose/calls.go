package diagnose

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A call is one call of the LLM with what lies below it, as indexes of tree.nodes.
type call struct {
	at       int // the call span, or a server span above which no call came
	isServer bool
	servers  []int
	phases   []int
	gateways []int
	connects []int
	attempts []int   // HTTP requests, retries included
	made     []phase // from reported durations, where no phase has a span
}

// findCalls assigns every node to the call that it lies below. Only the outermost LLM span is a call; a server span with no
// call above it stands alone.
func (t *tree) findCalls() {
	for i := range t.nodes {
		n := &t.nodes[i]
		if i > 0 {
			n.call = t.nodes[n.parent].call
		}
		server := n.span != nil && n.span.Kind == model.KindServer
		if n.stage == llmStage && (n.call < 0 || t.calls[n.call].isServer && !server) {
			n.call = len(t.calls)
			t.calls = append(t.calls, call{at: i, isServer: server})
			if !server {
				continue
			}
		}
		if n.call < 0 {
			continue
		}
		c := &t.calls[n.call]
		switch {
		case n.stage == llmStage && server:
			c.servers = append(c.servers, i)
		case n.stage.InsideLLM():
			c.phases = append(c.phases, i)
		case n.stage == Gateway:
			c.gateways = append(c.gateways, i)
		case n.stage == Connect:
			c.connects = append(c.connects, i)
		}
		if n.span.Kind == model.KindClient && firstString(n.span.Attrs, methodKeys) != "" {
			c.attempts = append(c.attempts, i)
		}
	}
}

// methodKeys mark an HTTP request, the newer name first.
var methodKeys = []string{"http.request.method", "http.method"}

// failedCall reports whether the call itself ended in an error; a failed attempt below it does not count.
func (t *tree) failedCall(c *call) bool { return t.nodes[c.at].failed() }

// modelKeys name the model of a call, requested before answered.
var modelKeys = []string{
	"gen_ai.request.model", "gen_ai.response.model", "llm.model_name", "llm.request.model_name", "llm.response.model_name",
	"langfuse.observation.model.name", "langwatch.model", "embedding.model_name",
}

// Token counts, new names before old ones.
var (
	inputKeys = []string{
		"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens", "llm.token_count.prompt",
	}
	outputKeys = []string{
		"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens",
		"llm.token_count.completion",
	}
	cachedKeys = []string{
		"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.cached_tokens",
		"llm.token_count.prompt_details.cache_read",
	}
)

// defaultKeepAlive is for how long Ollama keeps a model when neither the request nor its configuration says otherwise.
const defaultKeepAlive = 300 * time.Second

// records are the calls as a question keeps them, by start.
func (t *tree) records() []Call {
	calls := make([]Call, 0, len(t.calls))
	for i := range t.calls {
		c := &t.calls[i]
		if c.isServer {
			continue
		}
		calls = append(calls, t.record(c))
	}
	slices.SortStableFunc(calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Model, b.Model))
	})
	return calls
}

func (t *tree) record(c *call) Call {
	n := &t.nodes[c.at]
	r := Call{Start: n.start, End: n.end, Failed: t.failedCall(c), KeepAlive: defaultKeepAlive}
	r.Model = firstString(n.span.Attrs, modelKeys)
	r.Input, r.Output, r.Cached = tokens(n.span.Attrs)
	for _, s := range c.servers {
		a := t.nodes[s].span.Attrs
		if r.Model == "" {
			r.Model = firstString(a, modelKeys)
		}
		input, output, cached := tokens(a)
		r.Input, r.Output, r.Cached = orElse(r.Input, input), orElse(r.Output, output), orElse(r.Cached, cached)
	}
	r.Provider = t.provider(c)
	r.Server = serverOf(n.span.Attrs)
	if s, ok := n.span.Attrs.Float("ragtrace.llm.request.keep_alive"); ok && s == s {
		r.KeepAlive, r.KeepAliveSent = seconds(s), true
	}
	if ctx, ok := n.span.Attrs.Int("ragtrace.llm.request.num_ctx"); ok && ctx > 0 {
		r.NumCtx = ctx
	}
	c.eachPhase(t, func(stage Component, start, end int64) {
		if stage == LLMLoad && end-start > r.LoadEnd-r.LoadStart {
			r.LoadStart, r.LoadEnd = start, end
		}
	})
	r.Pace = t.pace(c, r.Output)
	return r
}

// serverOf is where a call went; "" unless both address and port are told.
func serverOf(a model.Attrs) string {
	host := a.String("server.address")
	port, ok := a.Int("server.port")
	if host == "" || !ok {
		return ""
	}
	return net.JoinHostPort(host, strconv.FormatInt(port, 10))
}

func tokens(a model.Attrs) (input, output, cached int64) {
	input, output, cached = firstCount(a, inputKeys), firstCount(a, outputKeys), firstCount(a, cachedKeys)
	for _, blob := range usageBlobs {
		fields := fieldsOf(a[blob.key])
		if len(fields) == 0 {
			continue
		}
		input = orElse(input, firstCount(fields, blob.input))
		output = orElse(output, firstCount(fields, blob.output))
		cached = orElse(cached, firstCount(fields, blob.cached))
	}
	return input, output, cached
}

func orElse(n, other int64) int64 {
	if n < 0 {
		return other
	}
	return n
}

// lastCall is the last call by start; nil when there is none.
func (t *tree) lastCall() *call {
	var last *call
	for i := range t.calls {
		c := &t.calls[i]
		if !c.isServer && (last == nil || t.laterCall(c, last)) {
			last = c
		}
	}
	return last
}

func (t *tree) laterCall(a, b *call) bool {
	x, y := &t.nodes[a.at], &t.nodes[b.at]
	return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end),
		slices.Compare(x.span.SpanID[:], y.span.SpanID[:])) > 0
}
