package openai

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// read shows pieces, one a millisecond, to a Reader.
func read(stage stages.Stage, framing stream.Framing, pieces ...string) *stages.Facts {
	f := &stages.Facts{API: stages.APIOpenAI, System: "openai", Stage: stage}
	r := New(f)
	r.Head(200, http.Header{})
	s := stream.NewSplitter(r.Schema(), framing, r)
	for i, p := range pieces {
		s.Write(time.Duration(i)*time.Millisecond, []byte(p))
	}
	s.Close(true)
	r.End()
	return f
}

func events(data ...string) []string {
	for i := range data {
		data[i] = "data: " + data[i] + "\n\n"
	}
	return data
}

// summary is what the tests below look at; times are milliseconds.
type summary struct {
	API                 stages.API
	Events, Tools       int
	First, Answer, Done time.Duration
	Reasons, Error      string
	In, Out, Cached     int64
	Reasoning           int64
	Flags               string
}

func summed(f *stages.Facts) summary {
	return summary{
		f.API, f.TokenEvents, f.ToolCalls, f.Marks.FirstToken.D / 1e6, f.Marks.FirstAnswer.D / 1e6, f.Marks.Done.D / 1e6,
		strings.Join(f.FinishReasons, " "), f.Error, f.InputTokens.N, f.OutputTokens.N, f.CachedTokens.N, f.ReasoningTokens.N,
		strings.Join(f.Flags, " "),
	}
}

func TestStreams(t *testing.T) {
	const (
		role   = `{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`
		token  = `{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`
		finish = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
		done   = `[DONE]`
	)
	for _, tt := range []struct {
		name   string
		events []string
		want   summary
	}{
		{"a role is no token, usage comes last", events(role, token, finish,
			`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}}`, done),
			summary{API: "openai", Events: 1, First: 1, Answer: 1, Done: 2, Reasons: "stop", In: 9, Out: 3, Cached: 4, Reasoning: 2}},
		{"running usage", events(`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`,
			`{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, done),
			summary{API: "openai", Events: 2, Done: 1, Reasons: "stop", In: 9, Out: 2}},
		{"null usage and null error", events(`{"error":null,"usage":null,"choices":[{"delta":{"content":"a"}}]}`, finish, done),
			summary{API: "openai", Events: 1, Done: 1, Reasons: "stop"}},
		{"reasoning in both spellings", events(`{"choices":[{"delta":{"reasoning_content":"x"}}]}`, `{"choices":[{"delta":{"reasoning":"y"}}]}`, token, finish),
			summary{API: "openai", Events: 3, Answer: 2, Done: 3, Reasons: "stop"}},
		{"a tool call in pieces", events(role, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}`, `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, done),
			summary{API: "openai", Events: 2, Tools: 1, First: 1, Answer: 1, Done: 3, Reasons: "tool_calls"}},
		{"a refusal", events(`{"choices":[{"delta":{"refusal":"no"}}]}`, finish), summary{API: "openai", Events: 1, Done: 1, Reasons: "stop"}},
		{"two choices end with the later one", events(`{"choices":[{"index":0,"delta":{"content":"a"}}]}`, `{"choices":[{"index":1,"delta":{"content":"b"}}]}`,
			`{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`, token, `{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`, done),
			summary{API: "openai", Events: 3, Done: 4, Reasons: "stop length"}},
		{"the finish repeated", events(token, finish, finish, done), summary{API: "openai", Events: 1, Done: 1, Reasons: "stop"}},
		{"no finish, but done", events(token, done), summary{API: "openai", Events: 1, Done: 1}},
		{"an error, then done", events(token, `{"error":{"message":"engine dead","code":500}}`, done), summary{API: "openai", Events: 1, Error: "engine dead"}},
		{"an error in words", events(`{"error":"boom"}`), summary{API: "openai", Error: "boom"}},
		{"an error of old vLLM", events(`{"object":"error","message":"too long","code":400}`), summary{API: "openai", Error: "too long"}},
		{"an error without words", events(`{"error":{"code":1}}`), summary{API: "openai", Error: "error without a message"}},
		{"an error of old llama-server", []string{"error: {\"code\":500,\"message\":\"slot gone\"}\n\n"}, summary{API: "openai", Error: "slot gone"}},
		{"pings", []string{":\n\n", ": OPENROUTER PROCESSING\n\n", "data: " + token + "\n\n", "data: " + finish + "\n\n"},
			summary{API: "openai", Events: 1, First: 2, Answer: 2, Done: 3, Reasons: "stop"}},
		{"Ollama", events(`{"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}`,
			`{"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}`, done),
			summary{API: "ollama", Events: 1, Done: 1, Reasons: "stop", Flags: stages.FlagPhasesUnknown}},
		{"llama-server's own completion", events(`{"content":"a","stop":false}`, `{"content":"","stop":true,"stop_type":"eos","tokens_predicted":2,"timings":{"cache_n":5,"prompt_n":3,"prompt_ms":12.5,"predicted_n":2,"predicted_ms":8}}`),
			summary{API: "llama-server", Events: 1, Done: 1, Reasons: "eos", In: 8, Out: 2, Cached: 5}},
		{"llama-server without a cache count", events(token, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"cache_n":-1,"prompt_n":3,"prompt_ms":1,"predicted_n":2,"predicted_ms":8}}`),
			summary{API: "llama-server", Events: 1, Done: 1, Reasons: "stop", In: 3, Out: 2}},
		{"LocalAI", events(token, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"timing_prompt_processing":12.5,"timing_token_generation":8}}`),
			summary{API: "localai", Events: 1, Done: 1, Reasons: "stop", In: 3, Out: 2}},
		{"Responses API", []string{
			"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\",\"model\":\"m\",\"error\":null}}\n\n",
			"event: response.reasoning_summary_text.delta\ndata: {\"type\":\"response.reasoning_summary_text.delta\",\"delta\":\"hm\"}\n\n",
			"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}\n\n",
			"event: response.output_text.done\ndata: {\"type\":\"response.output_text.done\",\"text\":\"hi\"}\n\n",
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"usage\":{\"input_tokens\":5,\"output_tokens\":7,\"output_tokens_details\":{\"reasoning_tokens\":6}}}}\n\n",
		}, summary{API: "openai", Events: 2, First: 1, Answer: 2, Done: 4, Reasons: "completed", In: 5, Out: 7, Reasoning: 6}},
		{"Responses API, cut by its limit", events(`{"type":"response.output_text.delta","delta":"hi"}`,
			`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`),
			summary{API: "openai", Events: 1, Done: 1, Reasons: "max_output_tokens"}},
		{"Responses API, failed", events(`{"type":"response.failed","response":{"status":"failed","error":{"code":"x","message":"overloaded"}}}`),
			summary{API: "openai", Error: "overloaded"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, summed(read(stages.LLM, stream.Events, tt.events...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlainBodies(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       summary
	}{
		{"chat", `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
			summary{API: "openai", Events: 1, Reasons: "stop", In: 3, Out: 2}},
		{"tool calls", `{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"f"}},{"function":{"name":"g"}}]},"finish_reason":"tool_calls"}]}`,
			summary{API: "openai", Events: 1, Tools: 2, Reasons: "tool_calls"}},
		{"completion", `{"choices":[{"text":"hi","finish_reason":"length"}]}`, summary{API: "openai", Events: 1, Reasons: "length"}},
		{"response", `{"object":"response","status":"completed","error":null,"output":[{"type":"reasoning"},{"type":"function_call"},{"type":"message","content":[{"type":"output_text","text":"hi"}]}],
			"usage":{"input_tokens":5,"output_tokens":7,"input_tokens_details":{"cached_tokens":4}}}`,
			summary{API: "openai", Events: 1, Tools: 1, Reasons: "completed", In: 5, Out: 7, Cached: 4}},
		{"loading", `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, summary{API: "openai", Error: "Loading model"}},
		{"FastAPI", `{"detail":"Not Found"}`, summary{API: "openai", Error: "Not Found"}},
		{"vLLM", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"metrics":{"time_to_first_token_ms":85.2,"generation_time_ms":null,"queue_time_ms":12.3}}`,
			summary{API: "vllm", Events: 1, Reasons: "stop"}},
		{"null metrics", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"metrics":null,"timings":null}`, summary{API: "openai", Events: 1, Reasons: "stop"}},
	} {
		if diff := cmp.Diff(tt.want, summed(read(stages.LLM, stream.JSON, tt.body))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if f := read(stages.LLM, stream.JSON, `{"object":"response","status":"in_progress"}`); f.Marks.Done.Known() {
		t.Error("a response in the background is finished")
	}
}

func TestServerFigures(t *testing.T) {
	f := read(stages.LLM, stream.JSON, `{"choices":[{"finish_reason":"stop"}],"timings":{"prompt_n":3,"prompt_ms":12.5,"predicted_n":2,"predicted_ms":0.001}}`)
	if f.Prefill.D != 12500*time.Microsecond || f.Decode.D != time.Microsecond || f.Queue.Known() || f.CachedTokens.Known() {
		t.Errorf("prefill %v, decode %v, queue %v, cached %v", f.Prefill.D, f.Decode.D, f.Queue, f.CachedTokens)
	}
}

// TestFiguresThatCannotBe: they are absent and named; null and the 0 of what did not take place are absent only.
func TestFiguresThatCannotBe(t *testing.T) {
	const choice = `"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]`
	for body, flags := range map[string]string{
		`{` + choice + `,"timings":{"prompt_ms":-1,"predicted_ms":1e300}}`: "bad_predicted_ms bad_prompt_ms",
		`{` + choice + `,"metrics":{"time_to_first_token_ms":"soon","generation_time_ms":-0.5,"queue_time_ms":86400001}}`: "bad_generation_time_ms " +
			"bad_queue_time_ms bad_time_to_first_token_ms",
		`{` + choice + `,"usage":{"timing_prompt_processing":-3,"timing_token_generation":0}}`:                "bad_timing_prompt_processing",
		`{` + choice + `,"metrics":{"time_to_first_token_ms":0,"generation_time_ms":0,"queue_time_ms":null}}`: "",
	} {
		f := read(stages.LLM, stream.JSON, body)
		if strings.Join(f.Flags, " ") != flags || f.Prefill.Known() || f.Decode.Known() || f.Queue.Known() {
			t.Errorf("%s: flags %v, prefill %v, decode %v, queue %v; want %q and no figure", body, f.Flags, f.Prefill, f.Decode, f.Queue, flags)
		}
	}
}

// TestHeadOfVLLM: the figures of a request in the head of its answer, under the names of both builds.
func TestHeadOfVLLM(t *testing.T) {
	const ms = time.Millisecond
	reported := func(n int64) stages.Count { return stages.Count{N: n, Source: stages.Reported} }
	for _, prefix := range []string{"x-", "x-vllm-"} {
		h := http.Header{}
		for name, value := range map[string]string{
			"total-time": "130.25", "queue-time": "0.00", "prefill-time": "80.50", "decode-time": "30.00", "inference-time": "110.50",
			"prompt-tokens": "10", "completion-tokens": "4", "cached-tokens": "6",
		} {
			h.Set(prefix+name, value)
		}
		for name, body := range map[string]string{
			"usage":    `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":4}}`,
			"no usage": `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`,
		} {
			f := readHead(h, body)
			if f.API != stages.APIVLLM || f.Total.D != 130250*time.Microsecond || !f.Queue.Known() || f.Queue.D != 0 ||
				f.Prefill.D != 80500*time.Microsecond || f.Decode.D != 30*ms || len(f.Flags) > 0 {
				t.Errorf("%s: %s: total %v, queue %v, prefill %v, decode %v, flags %v", prefix, f.API, f.Total, f.Queue, f.Prefill, f.Decode, f.Flags)
			}
			if f.InputTokens != reported(10) || f.OutputTokens != reported(4) || f.CachedTokens != reported(6) {
				t.Errorf("%s, %s: %v in, %v out, %v cached; want 10, 4 and 6", prefix, name, f.InputTokens, f.OutputTokens, f.CachedTokens)
			}
		}
	}
	h := http.Header{}
	h.Set("x-prefill-time", "0.00") // never scheduled
	h.Set("x-decode-time", "-100.00")
	h.Set("x-total-time", "None")
	f := readHead(h, `{}`)
	if f.Prefill.Known() || f.Decode.Known() || f.Total.Known() || strings.Join(f.Flags, " ") != "bad_x-decode-time bad_x-total-time" {
		t.Errorf("prefill %v, decode %v, total %v, flags %v", f.Prefill, f.Decode, f.Total, f.Flags)
	}
}

// readHead shows a head and a body to a Reader.
func readHead(h http.Header, body string) *stages.Facts {
	f := &stages.Facts{API: stages.APIOpenAI, System: "openai", Stage: stages.LLM}
	r := New(f)
	r.Head(200, h)
	s := stream.NewSplitter(r.Schema(), stream.JSON, r)
	s.Write(0, []byte(body))
	s.Close(true)
	r.End()
	return f
}

func TestEmbeddings(t *testing.T) {
	for body, dimensions := range map[string]int{
		`{"object":"list","data":[{"embedding":[1,2,3],"index":0},{"embedding":[1,2,3]}],"usage":{"prompt_tokens":4}}`: 3,
		`{"data":[{"embedding":"AACAPwAAAEAAAEBAAACAQA=="}]}`:                                                          4, // 1, 2, 3, 4 as float32
		`{"data":[{"embedding":"AACAPwAAAEAAAEBA"}]}`:                                                                  3,
		`[{"index":0,"embedding":[[1,2,3,4,5]]}]`:                                                                      5, // llama-server's own
		`[{"index":0,"embedding":[1,2]}]`:                                                                              2,
		`{"embedding":[1,2]}`:                                                                                          2, // the same, old
		`{"data":[]}`:                                                                                                  0,
	} {
		if f := read(stages.Embed, stream.JSON, body); f.Dimensions != dimensions || !f.Marks.Done.Known() {
			t.Errorf("%s: %d dimensions, done %v; want %d", body, f.Dimensions, f.Marks.Done.Known(), dimensions)
		}
	}
}

func TestMatch(t *testing.T) {
	asks := &stages.RequestFacts{Model: "m", HasPrompt: true, Inputs: stages.Count{N: 1, Source: stages.Measured}}
	for _, tt := range []struct {
		path string
		body *stages.RequestFacts
		want stages.Operation
	}{
		{"/v1/chat/completions", &stages.RequestFacts{}, stages.OpChat},
		{"/openai/deployments/d/chat/completions", &stages.RequestFacts{}, stages.OpChat},
		{"/v1/completions/", &stages.RequestFacts{}, stages.OpTextCompletion},
		{"/completion", &stages.RequestFacts{}, ""},
		{"/completion", asks, stages.OpTextCompletion},
		{"/responses", &stages.RequestFacts{}, ""},
		{"/responses", asks, stages.OpChat},
		{"/embeddings", asks, stages.OpEmbeddings},
		{"/embedding", &stages.RequestFacts{}, ""},
		{"/v1/models", asks, ""},
	} {
		if got := Match(&stages.Request{Method: http.MethodPost, URL: &url.URL{Path: tt.path}}, tt.body); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.path, got, tt.want)
		}
	}
}

// FuzzReader wants no panic, and phases in order, whatever a server sends.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"data: {\"choices\":[{\"index\":-1,\"delta\":{\"content\":\"a\",\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\ndata: [DONE]\n\n",
		`{"choices":[],"timings":{"prompt_ms":1e300,"predicted_ms":-1,"predicted_n":3},"metrics":{"queue_time_ms":1}}`,
		`{"data":[{"embedding":[1,2]}]}`, `[{"embedding":[[1]]}]`, `{"type":"response.completed","response":{"status":"completed"}}`,
	} {
		f.Add(uint8(0), false, []byte(s))
		f.Add(uint8(2), true, []byte(s))
	}
	f.Fuzz(func(t *testing.T, framing uint8, embed bool, body []byte) {
		stage := stages.LLM
		if embed {
			stage = stages.Embed
		}
		facts := read(stage, stream.Framing(framing%3), string(body))
		facts.Marks.End = stages.Timing{D: time.Second, Source: stages.Measured}
		facts.Settle()
		var before time.Duration
		for _, p := range facts.Phases() {
			if p.Start < before || p.End < p.Start {
				t.Errorf("%s from %v to %v after %v", p.Name, p.Start, p.End, before)
			}
			before = p.End
		}
		facts.Metrics()
	})
}
