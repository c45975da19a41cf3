package recognise

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragtrace/ragtrace/stages"
)

func counted(n int64) stages.Count { return stages.Count{N: n, Source: stages.Measured} }

func TestRequestFacts(t *testing.T) {
	yes, half, minute := true, 0.5, time.Minute
	for _, tt := range []struct {
		name, body string
		want       stages.RequestFacts
	}{
		{"Ollama", `{"model":"llama3.2","stream":true,"messages":[{"role":"system","content":"x"},{"role":"user","content":"y","images":["aGk="]}],
			"options":{"num_ctx":4096,"num_predict":12,"temperature":0.5,"top_k":40,"seed":7,"stop":["a","b"]},"keep_alive":"1m","think":"high"}`,
			stages.RequestFacts{Model: "llama3.2", Stream: &yes, Messages: 2, NumCtx: counted(4096), MaxTokens: counted(12),
				Temperature: &half, DecodeTopK: counted(40), Seed: counted(7), KeepAlive: &minute, ReasoningLevel: "high"}},
		{"OpenAI", `{"model":"m","max_completion_tokens":5,"stream_options":{"include_usage":true},"stop":"x","reasoning_effort":"low","top_p":0.5}`,
			stages.RequestFacts{Model: "m", MaxTokens: counted(5), ReasoningLevel: "low", TopP: &half}},
		{"one input", `{"input":"text"}`, stages.RequestFacts{Inputs: counted(1)}},
		{"several inputs", `{"input":["a","b","c"]}`, stages.RequestFacts{Inputs: counted(3)}},
		{"one input in token numbers", `{"input":[1,2,3]}`, stages.RequestFacts{Inputs: counted(1)}},
		{"several inputs in token numbers", `{"input":[[1,2],[3]]}`, stages.RequestFacts{Inputs: counted(2)}},
		{"no input", `{"input":""}`, stages.RequestFacts{Inputs: counted(0)}},
		{"prompt", `{"prompt":"p","n_predict":3}`, stages.RequestFacts{HasPrompt: true, MaxTokens: counted(3)}},
		{"empty prompt", `{"prompt":""}`, stages.RequestFacts{}},
		{"rerank", `{"query":"q","documents":["a",{"text":"b"}],"top_n":1}`,
			stages.RequestFacts{HasQuery: true, Documents: counted(2), TopK: counted(1), Extra: map[string]bool{"documents": true}}},
		{"nulls", `{"model":null,"stream":null,"options":null,"keep_alive":null,"input":null}`, stages.RequestFacts{}},
		{"wrong kinds", `{"model":5,"stream":"yes","options":[1],"messages":"x","temperature":"warm"}`, stages.RequestFacts{Messages: 1}},
		{"an array", `[1,2]`, stages.RequestFacts{}},
		{"broken", `{"model":`, stages.RequestFacts{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := New(call("/x"))
			for i := range len(tt.body) {
				o.RequestBody([]byte(tt.body[i : i+1]))
			}
			o.End(0, stages.EndedClosed, nil)
			if diff := cmp.Diff(tt.want, o.Facts().Request, cmpopts.IgnoreFields(stages.RequestFacts{}, "Body")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestKeepAlive follows api/types.go of Ollama: a number is seconds, a text needs a unit, negative is for ever.
func TestKeepAlive(t *testing.T) {
	duration := func(d time.Duration) *time.Duration { return &d }
	for text, want := range map[string]*time.Duration{
		`300`: duration(5 * time.Minute), `0.5`: duration(500 * time.Millisecond), `0`: duration(0), `-1`: duration(-time.Second),
		`"5m"`: duration(5 * time.Minute), `"-1s"`: duration(-time.Second), `"-1"`: nil, `"forever"`: nil, `true`: nil,
		`1e30`: duration(9e9 * time.Second),
	} {
		o := New(call("/api/chat"))
		o.RequestBody([]byte(`{"keep_alive":` + text + `}`))
		if diff := cmp.Diff(want, o.Facts().Request.KeepAlive); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
