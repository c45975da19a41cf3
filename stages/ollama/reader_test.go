package ollama

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
	f := &stages.Facts{Stage: stage}
	r := New(f)
	r.Head(200, nil)
	s := stream.NewSplitter(r.Schema(), framing, r)
	for i, p := range pieces {
		s.Write(time.Duration(i)*time.Millisecond, []byte(p))
	}
	s.Close(true)
	r.End()
	return f
}

func lines(l ...string) []string {
	for i := range l {
		l[i] += "\n"
	}
	return l
}

// summary is what the tests below look at.
type summary struct {
	Events, Tools int
	First, Answer time.Duration
	Reason, Error string
	Flags         string
}

func summed(f *stages.Facts) summary {
	return summary{f.TokenEvents, f.ToolCalls, f.Marks.FirstToken.D / 1e6, f.Marks.FirstAnswer.D / 1e6, f.DoneReason, f.Error, strings.Join(f.Flags, " ")}
}

func TestShapes(t *testing.T) {
	const done = `{"done":true,"done_reason":"stop"}`
	for _, tt := range []struct {
		name  string
		lines []string
		want  summary
	}{
		{"thinking of chat and of generate", lines(`{}`, `{"message":{"content":"","thinking":"hm"}}`, `{"thinking":"hm"}`, `{"response":"x"}`, done),
			summary{Events: 3, First: 1, Answer: 3, Reason: "stop"}},
		{"tool calls on their own line", lines(`{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}},{"function":{"name":"g"}}]}}`, done),
			summary{Events: 1, Tools: 2, Reason: "stop"}},
		{"tool calls on the done line", lines(`{}`, `{"message":{"tool_calls":[{"function":{"name":"f"}}]},"done":true,"done_reason":"stop"}`),
			summary{Events: 1, Tools: 1, First: 1, Answer: 1, Reason: "stop"}},
		{"text on the done line", lines(`{"response":"a"}`, `{"response":"b","done":true,"done_reason":"stop"}`), summary{Events: 2, Reason: "stop"}},
		{"empty and null text is no token", lines(`{"response":""}`, `{"message":{"content":null}}`, `{"message":null}`, done), summary{Reason: "stop"}},
		{"a reason without done", lines(`{"response":"a"}`, `{"done_reason":"length"}`), summary{Events: 1, Reason: "length"}},
		{"an error, then nothing counts against it", lines(`{"response":"a"}`, `{"error":"boom"}`, `{"error":"again"}`), summary{Events: 1, Error: "boom"}},
		{"two done lines", lines(`{"response":"a"}`, done, `{"done":true,"done_reason":"length"}`),
			summary{Events: 1, Reason: "stop", Flags: stages.FlagAfterDone}},
		{"tokens after done", lines(done, `{"response":"a"}`), summary{Reason: "stop", Flags: stages.FlagAfterDone}},
		{"a broken line in between", lines(`{"response":"a"}`, `{"response":"b`, `{"response":"c"}`, done), summary{Events: 2, Reason: "stop"}},
		{"escapes in an error", lines(`{"error":"model \"x\" not found \u2014 try pulling it"}`), summary{Error: `model "x" not found — try pulling it`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, summed(read(stages.LLM, stream.Lines, tt.lines...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlainBodies(t *testing.T) {
	f := read(stages.LLM, stream.JSON, `{"model":"m","response":"hello","done":true,"done_reason":"stop","eval_count":3}`)
	if f.TokenEvents != 1 || f.Marks.FirstToken.Known() || f.OutputTokens.N != 3 || !f.Marks.Done.Known() {
		t.Errorf("%d events, first %v, %d tokens", f.TokenEvents, f.Marks.FirstToken, f.OutputTokens.N)
	}
	if f := read(stages.LLM, stream.JSON, `{"model":"m","response":"hello","done":false}`); f.Marks.Done.Known() {
		t.Error("an answer that stopped at the repeat limit is finished")
	}
	if f := read(stages.LLM, stream.JSON, `{"model":"m","response":"","done":true,"done_reason":"unload"}`); f.Operation != stages.OpUnload {
		t.Errorf("unload is %q", f.Operation)
	}
}

func TestEmbeddings(t *testing.T) {
	for body, dimensions := range map[string]int{
		`{"model":"e","embeddings":[[0.1,0.2,-3e-5],[1,2,3]],"total_duration":5000000}`: 3,
		`{"embedding":[0.1,0.2]}`:       2,
		`{"model":"e","embeddings":[]}`: 0,
		`{"embedding":[]}`:              0,
	} {
		f := read(stages.Embed, stream.JSON, body)
		if f.Dimensions != dimensions || !f.Marks.Done.Known() || len(f.Flags) > 0 {
			t.Errorf("%s: %d dimensions, done %v, flags %v; want %d", body, f.Dimensions, f.Marks.Done, f.Flags, dimensions)
		}
	}
}

// TestStamps: only a clock that moves counts, and only when every token line carries it.
func TestStamps(t *testing.T) {
	line := func(stamp, rest string) string {
		return `{"created_at":"2026-11-30T09:00:` + stamp + `Z",` + rest + `}`
	}
	token, done := `"response":"a"`, `"done":true`
	for _, tt := range []struct {
		name  string
		lines []string
		span  time.Duration
		gaps  int
	}{
		{"moving", lines(line("00.1", token), line("00.25", token), line("00.300000001", done)), 200*time.Millisecond + 1, 1},
		{"standing", lines(line("00", token), line("00", token), line("00", done)), 0, 0},
		{"backwards", lines(line("01", token), line("00", done)), 0, 0},
		{"missing on a token", lines(`{"response":"a"}`, line("00.2", token), line("00.3", done)), 0, 0},
		{"missing at the end", lines(line("00.1", token), `{"done":true}`), 0, 0},
		{"nonsense", lines(`{"created_at":"yesterday","response":"a"}`, line("00.3", done)), 0, 0},
		{"with an offset", lines(`{"created_at":"2026-11-30T11:00:00.1+02:00","response":"a"}`, line("00.2", done)), 100 * time.Millisecond, 0},
	} {
		f := read(stages.LLM, stream.Lines, tt.lines...)
		if f.ServerFirstToDone.D != tt.span || f.ServerFirstToDone.Known() != (tt.span > 0) || f.ServerGaps.N() != tt.gaps {
			t.Errorf("%s: first to done %v, %d gaps; want %v, %d", tt.name, f.ServerFirstToDone.D, f.ServerGaps.N(), tt.span, tt.gaps)
		}
	}
}

// TestStampsOfWhatBrokeOff: the server's gaps up to there are known, whether or not it said why.
func TestStampsOfWhatBrokeOff(t *testing.T) {
	line := func(stamp string) string { return `{"created_at":"2026-11-30T09:00:` + stamp + `Z","response":"a"}` }
	for name, l := range map[string][]string{
		"no more came": lines(line("00.1"), line("00.25"), line("00.35")),
		"an error":     lines(line("00.1"), line("00.25"), line("00.35"), `{"error":"boom"}`),
		"cut off":      lines(line("00.1"), line("00.25"), line("00.35"), `{"created_at":"2026-11-30T09:0`),
	} {
		f := read(stages.LLM, stream.Lines, l...)
		p50, _ := f.ServerGaps.Quantile(0.5)
		if f.ServerGaps.N() != 2 || p50 != 125*time.Millisecond || f.ServerGaps.Max() != 150*time.Millisecond || f.ServerFirstToDone.Known() {
			t.Errorf("%s: %d gaps, p50 %v, max %v, first to done %v", name, f.ServerGaps.N(), p50, f.ServerGaps.Max(), f.ServerFirstToDone)
		}
	}
	for name, l := range map[string][]string{
		"a clock that stands": lines(line("00.1"), line("00.1")),
		"a stamp is missing":  lines(line("00.1"), `{"response":"a"}`, line("00.3")),
	} {
		if f := read(stages.LLM, stream.Lines, l...); f.ServerGaps.N() != 0 {
			t.Errorf("%s: %d gaps", name, f.ServerGaps.N())
		}
	}
}

// TestStampOfTheAnswer: thinking comes first, and by the server's clock the answer after it.
func TestStampOfTheAnswer(t *testing.T) {
	f := read(stages.LLM, stream.Lines, lines(
		`{"created_at":"2026-11-30T09:00:01Z","message":{"thinking":"h"}}`,
		`{"created_at":"2026-11-30T09:00:01.3Z","message":{"content":"a"}}`,
		`{"created_at":"2026-11-30T09:00:01.31Z","done":true}`)...)
	if f.ServerFirstToDone.D != 310*time.Millisecond || f.ServerAnswerToDone.D != 10*time.Millisecond {
		t.Errorf("%v from the first token, %v from the first of the answer", f.ServerFirstToDone.D, f.ServerAnswerToDone.D)
	}
	f = read(stages.LLM, stream.Lines, lines(
		`{"created_at":"2026-11-30T09:00:01Z","message":{"thinking":"h"}}`, `{"created_at":"2026-11-30T09:00:01.31Z","done":true}`)...)
	if f.ServerAnswerToDone.Known() {
		t.Errorf("%v from an answer that never began", f.ServerAnswerToDone.D)
	}
}

func TestDurationsThatCannotBe(t *testing.T) {
	f := read(stages.LLM, stream.Lines, `{"done":true,"total_duration":"1s","load_duration":0,"prompt_eval_duration":-1,"eval_duration":1e40,"eval_count":-4}`+"\n")
	want := []string{"bad_eval_duration", "bad_load_duration", "bad_prompt_eval_duration", "bad_total_duration"}
	if diff := cmp.Diff(want, f.Flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if f.Total.Known() || f.Load.Known() || f.Prefill.Known() || f.Decode.Known() || f.OutputTokens.Known() {
		t.Errorf("taken for figures: %+v", f)
	}
}

func TestCloudModels(t *testing.T) {
	f := read(stages.LLM, stream.Lines, `{"model":"m:cloud","remote_model":"m","remote_host":"https://ollama.com:443","response":"a"}`+"\n")
	if !f.Remote {
		t.Error("a cloud model's figures are taken for the local server's")
	}
}

func TestMatch(t *testing.T) {
	for path, want := range map[string]stages.Operation{
		"/api/chat": stages.OpChat, "/proxy/api/generate": stages.OpTextCompletion, "/api/embed/": stages.OpEmbeddings,
		"/api/embeddings": stages.OpEmbeddings, "/api/tags": "", "/api/chat/x": "", "/v1/chat/completions": "",
	} {
		if got := Match(&stages.Request{Method: http.MethodPost, URL: &url.URL{Path: path}}, nil); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if got := Match(&stages.Request{Method: http.MethodGet, URL: &url.URL{Path: "/api/chat"}}, nil); got != "" {
		t.Errorf("a GET is %q", got)
	}
}

// FuzzReader wants no panic, and phases in order, whatever a server sends.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		`{"model":"m","created_at":"2026-11-30T09:00:00.1Z","message":{"content":"a","tool_calls":[1]}}` + "\n" +
			`{"created_at":"2026-11-30T09:00:00.2Z","done":true,"done_reason":"stop","total_duration":5,"load_duration":2,"eval_duration":9223372036854775807,"eval_count":2}`,
		`{"embeddings":[[1,2],[3]]}`, `{"error":{"a":1}}`, `{"done":1,"total_duration":null}`,
	} {
		f.Add(uint8(0), false, []byte(s))
		f.Add(uint8(1), true, []byte(s))
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
