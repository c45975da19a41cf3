package diagnose

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// only changes question k and leaves the others warm.
func only(k int, change func(*plan)) func(int, *plan) {
	return func(i int, p *plan) {
		if i == k {
			change(p)
		}
	}
}

func names(causes []Cause) []string {
	list := []string{}
	for _, c := range causes {
		list = append(list, c.Cause)
	}
	return list
}

func slowNumbers(r Report) []int {
	numbers := []int{}
	for _, s := range r.Verdict.Slow {
		numbers = append(numbers, s.Number)
	}
	return numbers
}

// TestCauses slows one question or a few of eight down in one known way each.
func TestCauses(t *testing.T) {
	tests := []struct {
		name   string
		change func(i int, p *plan)
		slow   []int
		side   Side
		causes []string
	}{
		{"nothing", func(int, *plan) {}, []int{}, SideNone, []string{}},
		{"cold load", only(1, func(p *plan) { p.load = 3000 * ms }), []int{1}, SideInside, []string{"llm_load"}},
		{"load of a handler at work", func(_ int, p *plan) { p.load = 200 * ms }, []int{}, SideNone, []string{}},
		{"load after a while, not idle long enough", only(4, func(p *plan) { p.load, p.idle = 3000*ms, 200*time.Second }),
			[]int{4}, SideInside, []string{"llm_load"}},
		{"keep_alive of 300 s by default", only(4, func(p *plan) { p.load, p.idle = 3000*ms, 400*time.Second }),
			[]int{4}, SideInside, []string{"keep_alive_expired"}},
		{"keep_alive as the call before gave it", func(i int, p *plan) {
			if i == 3 {
				p.call = model.Attrs{"ragtrace.llm.request.keep_alive": 60.0}
			}
			if i == 4 {
				p.load, p.idle = 3000*ms, 90*time.Second
			}
		}, []int{4}, SideInside, []string{"keep_alive_expired"}},
		{"keep_alive for ever", func(i int, p *plan) {
			p.call = model.Attrs{"ragtrace.llm.request.keep_alive": -1.0}
			if i == 4 {
				p.load, p.idle = 3000*ms, 9000*time.Second
			}
		}, []int{4}, SideInside, []string{"llm_load"}},
		{"a failed question is a use too", func(i int, p *plan) {
			if i == 4 {
				p.idle, p.status = 250*time.Second, model.StatusError
			}
			if i == 5 {
				p.load, p.idle = 3000*ms, 250*time.Second
			}
		}, []int{5}, SideInside, []string{"llm_load"}},
		{"another num_ctx", func(i int, p *plan) {
			p.call = model.Attrs{"ragtrace.llm.request.num_ctx": int64(4096)}
			if i == 4 {
				p.load = 3000 * ms
				p.call = model.Attrs{"ragtrace.llm.request.num_ctx": int64(8192)}
			}
		}, []int{4}, SideInside, []string{"llm_reload_options"}},
		{"num_ctx of one call only", only(4, func(p *plan) {
			p.load = 3000 * ms
			p.call = model.Attrs{"ragtrace.llm.request.num_ctx": int64(8192)}
		}), []int{4}, SideInside, []string{"llm_load"}},
		{"a few evictions", func(i int, p *plan) {
			if i == 3 || i == 6 {
				p.load, p.embedLoad = 3000*ms, 2000*ms
			}
		}, []int{3, 6}, SideBoth, []string{"model_eviction"}},
		{"both loads once are no eviction", only(1, func(p *plan) { p.load, p.embedLoad = 3000*ms, 2000*ms }),
			[]int{1}, SideBoth, []string{"llm_load", "embed_load"}},
		{"queue", only(3, func(p *plan) { p.queue = 2000 * ms }), []int{3}, SideInside, []string{"llm_queue"}},
		{"three calls", only(3, func(p *plan) { p.calls = 2 }), []int{3}, SideInside, []string{"llm_more_calls"}},
		{"a call where the others make none", func(i int, p *plan) {
			if i != 3 {
				p.calls = -1
			}
		}, []int{3}, SideInside, []string{"llm_more_calls"}},
		{"long prompt", only(3, func(p *plan) { p.prefill, p.input = 2000*ms, 9000 }), []int{3}, SideInside, []string{"llm_prefill_long"}},
		{"prefix cache missed", only(3, func(p *plan) {
			p.prefill, p.cached = 2000*ms, 0
			p.call = model.Attrs{"gen_ai.usage.cache_read.input_tokens": int64(0)}
		}), []int{3}, SideInside, []string{"llm_prefix_cache_miss"}},
		{"cached tokens not told", only(3, func(p *plan) { p.prefill, p.cached = 2000*ms, 0 }), []int{3}, SideInside,
			[]string{"llm_prefill_slow"}},
		{"prefill at a lower rate", only(3, func(p *plan) { p.prefill = 2000 * ms }), []int{3}, SideInside, []string{"llm_prefill_slow"}},
		{"long answer", only(3, func(p *plan) { p.decode, p.output = 4000*ms, 501 }), []int{3}, SideInside, []string{"llm_decode_long"}},
		{"decode at a lower rate", only(3, func(p *plan) { p.decode = 4000 * ms }), []int{3}, SideInside, []string{"llm_decode_slow"}},
		{"longer and slower, slower more", only(3, func(p *plan) { p.decode, p.output = 4800*ms, 201 }), []int{3}, SideInside,
			[]string{"llm_decode_slow"}},
		{"no token counts", only(3, func(p *plan) { p.decode, p.output = 4000*ms, 0 }), []int{3}, SideInside, []string{"llm_slow"}},
		{"server time in no phase", only(3, func(p *plan) { p.other = 2000 * ms }), []int{3}, SideInside, []string{"unattributed_server"}},
		{"phases unknown", func(i int, p *plan) {
			p.noPhases = true
			if i == 3 {
				p.decode = 4000 * ms
			}
		}, []int{3}, SideInside, []string{"llm_slow"}},
		{"failed attempts", only(3, func(p *plan) { p.failed = []time.Duration{1000 * ms, 900 * ms} }), []int{3}, SideOutside,
			[]string{"llm_retry"}},
		{"new connection", only(1, func(p *plan) { p.connect = 900 * ms }), []int{1}, SideOutside, []string{"connection_setup"}},
		{"embedder load", only(1, func(p *plan) { p.embedLoad = 2000 * ms }), []int{1}, SideOutside, []string{"embed_load"}},
		{"embedder load that no span tells", only(1, func(p *plan) { p.embed = 2000 * ms }), []int{1}, SideOutside, []string{"embed_load"}},
		{"embedding, not the first", only(2, func(p *plan) { p.embed = 2000 * ms }), []int{2}, SideOutside, []string{"embed_slow"}},
		{"first search", only(1, func(p *plan) { p.search = 2000 * ms }), []int{1}, SideOutside, []string{"search_index_cold"}},
		{"search", only(5, func(p *plan) { p.search = 2000 * ms }), []int{5}, SideOutside, []string{"search_slow"}},
		{"first rerank, in question 2", func(i int, p *plan) {
			if i == 1 {
				p.rerank = 0
			}
			if i == 2 {
				p.rerank = 2000 * ms
			}
		}, []int{2}, SideOutside, []string{"rerank_cold"}},
		{"rerank", only(5, func(p *plan) { p.rerank = 2000 * ms }), []int{5}, SideOutside, []string{"rerank_slow"}},
		{"imports", only(1, func(p *plan) { p.gapStart = 2000 * ms }), []int{1}, SideOutside, []string{"lazy_import"}},
		{"imports of a second process", only(6, func(p *plan) { p.gapStart, p.instance = 2000*ms, "app-2" }), []int{6}, SideOutside,
			[]string{"lazy_import"}},
		{"gap at the start, not the first", only(2, func(p *plan) { p.gapStart = 2000 * ms }), []int{2}, SideOutside, []string{"app_gap"}},
		{"two gaps are one cause", only(2, func(p *plan) { p.gapStart, p.gap = 1000*ms, 800*ms }), []int{2}, SideOutside,
			[]string{"app_gap"}},
		{"imports and a gap", only(1, func(p *plan) { p.gapStart, p.gap = 1000*ms, 800*ms }), []int{1}, SideOutside,
			[]string{"lazy_import", "app_gap"}},
		{"enter", only(2, func(p *plan) { p.enter = 2000 * ms }), []int{2}, SideOutside, []string{"network_enter"}},
		{"gateway", only(2, func(p *plan) { p.gateway = 2000 * ms }), []int{2}, SideOutside, []string{"gateway_overhead"}},
		{"network", only(2, func(p *plan) { p.transport = 2000 * ms }), []int{2}, SideOutside, []string{"transport_slow"}},
		{"answer", only(2, func(p *plan) { p.answerTail = 2000 * ms }), []int{2}, SideOutside, []string{"answer_slow"}},
		{"prepare and prompt, each below a fifth", only(2, func(p *plan) {
			p.prepare, p.prompt, p.queue, p.search = 250*ms, 260*ms, 1000*ms, 300*ms
		}), []int{2}, SideBoth, []string{"llm_queue", "app_slow"}},
		{"below a fifth is not named", only(2, func(p *plan) { p.queue, p.search = 2000*ms, 300*ms }), []int{2}, SideInside,
			[]string{"llm_queue"}},
		{"1.5 times but not 250 ms above", func(i int, p *plan) {
			p.decode, p.prefill = 100*ms, 20*ms
			if i == 2 {
				p.queue = 220 * ms
			}
		}, []int{}, SideNone, []string{}},
		{"250 ms above but not 1.5 times", only(2, func(p *plan) { p.queue = 400 * ms }), []int{}, SideNone, []string{}},
		{"inside and outside", only(2, func(p *plan) { p.queue, p.gateway = 2000*ms, 1500*ms }), []int{2}, SideBoth,
			[]string{"llm_queue", "gateway_overhead"}},
		{"two slow questions, causes by their sums", func(i int, p *plan) {
			if i == 2 {
				p.search = 3000 * ms
			}
			if i == 5 || i == 7 {
				p.queue = 2000 * ms
			}
		}, []int{2, 5, 7}, SideBoth, []string{"llm_queue", "search_slow"}},
		{"connections never reused", func(i int, p *plan) { p.connect = 120 * ms }, []int{}, SideOutside,
			[]string{"connection_not_reused"}},
		{"connections reused after the first", only(1, func(p *plan) { p.connect = 120 * ms }), []int{}, SideNone, []string{}},
		{"the first that ended well is not counted: 3 of 6 are not more than half", func(i int, p *plan) {
			if i == 1 {
				p.status = model.StatusError
			}
			if i <= 5 {
				p.connect = 120 * ms
			}
		}, []int{}, SideNone, []string{}},
		{"gateway holds the stream back", func(_ int, p *plan) {
			p.call = model.Attrs{"gen_ai.request.stream": true}
			p.firstChunk = 900 * ms // decode runs from 212 to 1012 ms of the call: 86 % are over
		}, []int{}, SideOutside, []string{"gateway_buffering"}},
		{"application holds the stream back", func(_ int, p *plan) {
			p.call = model.Attrs{"gen_ai.request.stream": true}
			p.firstChunk, p.answerAt = 215*ms, 790*ms
		}, []int{}, SideOutside, []string{"no_streaming"}},
		{"not asked to stream", func(_ int, p *plan) { p.firstChunk, p.answerAt = 900*ms, 790*ms }, []int{}, SideNone, []string{}},
		{"short answers hide nothing", func(_ int, p *plan) {
			p.call = model.Attrs{"gen_ai.request.stream": true}
			p.decode, p.firstChunk = 400*ms, 600*ms
		}, []int{}, SideNone, []string{}},
		{"held back in half of them only", func(i int, p *plan) {
			p.call = model.Attrs{"gen_ai.request.stream": true}
			p.firstChunk = 215 * ms
			if i <= 4 {
				p.firstChunk = 900 * ms
			}
		}, []int{}, SideNone, []string{}},
		{"most questions load", func(i int, p *plan) {
			if i != 2 && i != 6 {
				p.load, p.idle = 3000*ms, 400*time.Second
			}
		}, []int{}, SideInside, []string{"keep_alive_expired"}},
		{"most questions load the embedder", func(i int, p *plan) {
			if i != 2 {
				p.embedLoad = 2000 * ms
			}
		}, []int{}, SideOutside, []string{"embed_load"}},
		{"most questions evict", func(i int, p *plan) {
			if i != 2 && i != 6 {
				p.load, p.embedLoad = 3000*ms, 2000*ms
			}
		}, []int{}, SideBoth, []string{"model_eviction"}},
		{"a slow one beside a standing cost", func(i int, p *plan) {
			p.connect = 120 * ms
			if i == 3 {
				p.queue = 4000 * ms
			}
		}, []int{3}, SideInside, []string{"llm_queue", "connection_not_reused"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := Judge(Cut(play(8, test.change)))
			v := r.Verdict
			t.Log(v.Text)
			if diff := cmp.Diff(test.slow, sorted(slowNumbers(r))); diff != "" {
				t.Errorf("slow (-want +got):\n%s", diff)
			}
			if v.Side != test.side {
				t.Errorf("side = %s, want %s", v.Side, test.side)
			}
			if diff := cmp.Diff(test.causes, names(v.Causes)); diff != "" {
				t.Errorf("causes (-want +got):\n%s", diff)
			}
			for _, h := range v.Advice {
				t.Log(h.Cause + ": " + h.Text)
				if h.Text == "" {
					t.Errorf("no advice on %s", h.Cause)
				}
			}
		})
	}
}

func sorted(numbers []int) []int {
	slices.Sort(numbers)
	return numbers
}
