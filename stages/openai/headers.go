package openai

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// A headReader reads what vLLM writes into the head of an answer that is not streamed when it is asked to
// (enable_request_stats_headers; vllm/entrypoints/openai/request_stats_headers.py): milliseconds with two decimals, and
// counts. In some builds the names begin with x-vllm-.
type headReader struct {
	input, output, cached stages.Count
}

func (r *headReader) read(f *stages.Facts, h http.Header) {
	prefix := "x-vllm-"
	if h.Get(prefix+"prefill-time") == "" {
		if prefix = "x-"; h.Get(prefix+"prefill-time") == "" {
			return
		}
	}
	f.API, f.System = stages.APIVLLM, string(stages.APIVLLM)
	millis := func(name string) stages.Timing {
		value := h.Get(prefix + name)
		if value == "" {
			return stages.Timing{}
		}
		ms, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		t, bad := stages.ReportedMillis(ms)
		if err != nil || bad {
			f.Flag(stages.FlagBad + prefix + name)
			return stages.Timing{}
		}
		return t
	}
	work := func(name string) stages.Timing { // 0 is written for moments that never came
		t := millis(name)
		if t.D == 0 {
			return stages.Timing{}
		}
		return t
	}
	f.Total, f.Queue, f.Prefill, f.Decode = work("total-time"), millis("queue-time"), work("prefill-time"), work("decode-time")
	count := func(c *stages.Count, name string) {
		n, err := strconv.ParseInt(h.Get(prefix+name), 10, 64)
		c.Report(n, err == nil)
	}
	count(&r.input, "prompt-tokens")
	count(&r.output, "completion-tokens")
	count(&r.cached, "cached-tokens")
}

// fill gives f the counts that the body left out.
func (r *headReader) fill(f *stages.Facts) {
	for _, c := range [...]struct{ to, from *stages.Count }{
		{&f.InputTokens, &r.input}, {&f.CachedTokens, &r.cached}, {&f.OutputTokens, &r.output},
	} {
		if !c.to.Known() {
			*c.to = *c.from
		}
	}
}
