package diagnose

import (
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// TestUsersFirstToken has a question of 5 s with a streaming call from 1000 ms on, whose first token comes 2 s later.
func TestUsersFirstToken(t *testing.T) {
	const none = -1
	call := func(id byte, start, end int64, attrs model.Attrs) model.Span {
		s := laid(id, 1, "chat m", "llm", start, end)
		s.Kind, s.Attrs = model.KindClient, model.Attrs{"ragtrace.stage": "llm"}
		for k, v := range attrs {
			s.Attrs[k] = v
		}
		return s
	}
	stream := model.Attrs{"gen_ai.request.stream": true, "gen_ai.response.time_to_first_chunk": 2.0}
	failed := func(s model.Span) model.Span {
		s.Status = model.StatusError
		return s
	}
	withEvent := call(2, 1000, 5000, model.Attrs{"gen_ai.request.stream": true})
	withEvent.Events = []model.Event{{Name: "first_chunk", Time: 1e9 + 3200*1e6}}
	answer := func(start int64) model.Span { return laid(9, 1, "answer", "answer", start, 5000) }
	for _, tt := range []struct {
		name        string
		paint       any
		spans       []model.Span
		ttft, first int64 // ms
		ruler       Ruler
	}{
		{"the answer follows the token", nil, []model.Span{call(2, 1000, 5000, stream), answer(3100)}, 3100, 3100, RulerUser},
		{"sources first", nil, []model.Span{call(2, 1000, 5000, stream), answer(500)}, 3000, 500, RulerUser},
		{"told by an event", nil, []model.Span{withEvent, answer(500)}, 3200, 500, RulerUser},
		{"a title is made beside the answer", nil, []model.Span{
			call(2, 1000, 5000, stream), call(3, 1500, 2000, model.Attrs{"gen_ai.request.stream": false}), answer(500),
		}, 3000, 500, RulerUser},
		{"a first call fails", nil, []model.Span{
			failed(call(2, 100, 900, model.Attrs{"gen_ai.response.time_to_first_chunk": 0.1})), call(3, 1000, 5000, stream), answer(50),
		}, 3000, 50, RulerUser},
		{"the last call fails", nil, []model.Span{
			call(2, 1000, 4000, stream), failed(call(3, 4100, 4200, stream)), answer(50),
		}, 3000, 50, RulerUser},
		{"no stream", nil, []model.Span{call(2, 1000, 4900, model.Attrs{"gen_ai.request.stream": false}), answer(4950)},
			4950, 4950, RulerByte},
		{"no word of a token", nil, []model.Span{call(2, 1000, 4900, nil), answer(500)}, 500, 500, RulerByte},
		{"no LLM call", nil, []model.Span{answer(500)}, none, 500, RulerNone},
		{"only a call that failed", nil, []model.Span{failed(call(2, 1000, 2000, nil)), answer(2100)}, none, 2100, RulerNone},
		{"no answer span", nil, []model.Span{call(2, 1000, 5000, stream)}, 3000, none, RulerClient},
		{"painted", 3.25, []model.Span{call(2, 1000, 5000, stream), answer(500)}, 3250, 500, RulerUser},
		{"sources painted", 0.75, []model.Span{call(2, 1000, 5000, stream), answer(500)}, 3000, 500, RulerUser},
		{"an impossible paint", -1.0, []model.Span{call(2, 1000, 5000, stream), answer(500)}, 3000, 500, RulerUser},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := laid(1, 0, "question", "question", 0, 5000)
			if tt.paint != nil {
				root.Attrs["ragtrace.user.time_to_first_paint"] = tt.paint
			}
			spans := append([]model.Span{root}, tt.spans...)
			r := Judge(CutTrace(spans)).Questions[0]
			check := func(what string, got *time.Duration, want int64) {
				t.Helper()
				if (got == nil) != (want == none) || got != nil && got.Milliseconds() != want {
					t.Errorf("%s: %v, want %d ms", what, got, want)
				}
			}
			check("TTFT", r.TTFT, tt.ttft)
			check("first byte", r.FirstByte, tt.first)
			if r.TTFTRuler != tt.ruler {
				t.Errorf("ruler %q, want %q", r.TTFTRuler, tt.ruler)
			}
			user := int64(none)
			if tt.ruler == RulerUser {
				user = tt.ttft
			}
			l, _ := Lay(spans, r)
			check("the user's mark", l.First.User, user)
			check("the first byte's mark", l.First.Byte, tt.first)
		})
	}
}

// TestServersAreApart loads a model on another server: what the first one did does not explain it.
func TestServersAreApart(t *testing.T) {
	on := func(port int64) model.Attrs {
		return model.Attrs{"server.address": "127.0.0.1", "server.port": port}
	}
	for _, tt := range []struct {
		name   string
		before model.Attrs
		want   string
	}{
		{"another server", on(1), "llm_load"},
		{"the same server", on(2), "keep_alive_expired"},
		{"a server that is not told", nil, "keep_alive_expired"},
		{"half a server", model.Attrs{"server.address": "other"}, "keep_alive_expired"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Judge(Cut(play(5, func(i int, p *plan) {
				p.call = tt.before
				if i == 5 {
					p.idle, p.load, p.call = 400*time.Second, 3000*ms, on(2)
				}
			})))
			if got := names(r.Verdict.Causes); len(got) != 1 || got[0] != tt.want {
				t.Errorf("causes %v, want %s", got, tt.want)
			}
		})
	}
}
