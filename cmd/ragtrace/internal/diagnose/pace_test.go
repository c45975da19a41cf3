package diagnose

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

func ptr[T any](v T) *T { return &v }

// TestPace reads one call of 1012 ms (transport 2, load 8, queue 2, prefill 200, decode 800) with 101 output tokens.
func TestPace(t *testing.T) {
	decoded := ptr(8 * ms) // 800 ms over 100 steps
	tests := []struct {
		name   string
		change func(p *plan)
		want   Pace
	}{
		{"nothing told but phases and tokens", func(p *plan) {}, Pace{TPOT: decoded}},
		{"one token has no time for each further", func(p *plan) { p.output = 1 }, Pace{}},
		{"tokens not told", func(p *plan) { p.output = 0 }, Pace{}},
		{"our own names", func(p *plan) {
			p.call = model.Attrs{
				"gen_ai.response.time_to_first_chunk": 0.25, "ragtrace.llm.time_to_first_answer": 0.5,
				"ragtrace.llm.time_to_first_token": 0.21, "ragtrace.llm.time_per_output_token": 0.009,
				"ragtrace.llm.inter_chunk.p50": 0.007, "ragtrace.llm.inter_chunk.p95": 0.03,
			}
		}, Pace{TTFT: ptr(250 * ms), TTFA: ptr(500 * ms), TTFTServer: ptr(210 * ms), TPOT: ptr(9 * ms), ITLP50: ptr(7 * ms), ITLP95: ptr(30 * ms)}},
		{"the first token is one of the answer", func(p *plan) { p.firstChunk = 250 * ms },
			Pace{TTFT: ptr(250 * ms), TTFA: ptr(250 * ms), TPOT: decoded}},
		{"reasoning came first and no answer was seen", func(p *plan) {
			p.firstChunk, p.call = 250*ms, model.Attrs{"gen_ai.usage.reasoning.output_tokens": int64(90)}
		}, Pace{TTFT: ptr(250 * ms), TPOT: decoded}},
		{"no phases: from the first chunk to the end, over the steps", func(p *plan) { p.firstChunk, p.noPhases = 212*ms, true },
			Pace{TTFT: ptr(212 * ms), TTFA: ptr(212 * ms), TPOT: decoded}}, // (1012 - 212) / 100
		{"held back: only the server's figures", func(p *plan) {
			p.firstChunk = 990 * ms
			p.call = model.Attrs{"ragtrace.flags": []any{"buffered_stream"}, "ragtrace.llm.time_to_first_token": 0.21,
				"ragtrace.llm.inter_chunk.p50": 0.0001}
		}, Pace{TTFTServer: ptr(210 * ms), TPOT: decoded}},
		{"vLLM's server span, in seconds", func(p *plan) {
			p.server = model.Attrs{"gen_ai.latency.time_to_first_token": 0.21}
		}, Pace{TTFTServer: ptr(210 * ms), TPOT: decoded}},
		{"a fork's, in nanoseconds", func(p *plan) {
			p.server = model.Attrs{"gen_ai.latency.time_to_first_token": 210e6}
		}, Pace{TTFTServer: ptr(210 * ms), TPOT: decoded}},
		{"impossible figures are none", func(p *plan) {
			p.call = model.Attrs{"ragtrace.llm.inter_chunk.p50": -1.0, "ragtrace.llm.inter_chunk.p95": 1e9}
		}, Pace{TPOT: decoded}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := Cut(play(1, func(_ int, p *plan) { tt.change(p) }))[0]
			if diff := cmp.Diff(tt.want, q.Calls[0].Pace, cmp.Transformer("us", time.Duration.Microseconds)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPaceFlagsBadFigures(t *testing.T) {
	q := Cut(play(1, func(_ int, p *plan) { p.call = model.Attrs{"ragtrace.llm.time_per_output_token": "soon"} }))[0]
	if !slices.Contains(q.Flags, FlagBadValue) {
		t.Errorf("flags %v lack %s", q.Flags, FlagBadValue)
	}
}

func TestProvider(t *testing.T) {
	for want, attrs := range map[string]model.Attrs{
		"":       {},
		"ollama": {"gen_ai.system": "Ollama"},
		"vllm":   {"gen_ai.provider.name": "vllm", "gen_ai.system": "openai"},
		"openai": {"llm.system": "openai"},
	} {
		q := Cut(play(1, func(_ int, p *plan) { p.call = attrs }))[0]
		if got := q.Calls[0].Provider; got != want {
			t.Errorf("%v: provider %q, want %q", attrs, got, want)
		}
	}
}
