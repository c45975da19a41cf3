package fakeserver

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// A recording is an exchange with a real Ollama, see testdata/README.md.
type recording struct {
	Method string `json:"method"`
	Path   string `json:"request_path"`
	Body   string `json:"request_body"`
	Answer struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Writes  []struct {
			Data string `json:"data"`
		} `json:"writes"`
	} `json:"response"`
	After struct {
		PS json.RawMessage `json:"ps"`
	} `json:"state_after"`
}

func readRecording(t *testing.T, name string) recording {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "recorded", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r recording) body() string {
	var b strings.Builder
	for _, w := range r.Answer.Writes {
		b.WriteString(w.Data)
	}
	return b.String()
}

// said returns what the recorded model said, or thought.
func (r recording) said() string {
	var b strings.Builder
	for _, m := range regexp.MustCompile(`"(?:content|response|text|thinking)":"([^"]*)"`).FindAllStringSubmatch(r.body(), -1) {
		b.WriteString(m[1])
	}
	return b.String()
}

// varying is what differs between two runs of a server: stamps, durations, numbers of vectors and tokens, and ids. What is left
// of them is that they are there and how many there are.
var varying = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`"created_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z"`), `"created_at":STAMP`},
	{regexp.MustCompile(`_duration":[1-9]\d*`), `_duration":NS`},
	{regexp.MustCompile(`"created":[1-9]\d{8,9}\b`), `"created":SECONDS`},
	{regexp.MustCompile(`"(chat)?cmpl-\d{1,3}"`), `"${1}cmpl-N"`},
	{regexp.MustCompile(`-?\d\.\d+(e-\d+)?`), `F`},
}

var contextList = regexp.MustCompile(`"context":\[[\d,]+\]`)

func steady(body string) string {
	body = contextList.ReplaceAllStringFunc(body, func(s string) string {
		return `"context":` + strings.Repeat("N", strings.Count(s, ",")+1)
	})
	for _, v := range varying {
		body = v.what.ReplaceAllString(body, v.with)
	}
	return body
}

// Given what the recorded model said, the scripted server's answer differs from the recorded one in nothing but times,
// vectors and ids: not in a field, its place, a line end, a status, a content type or the framing of the body.
func TestAnswersAreTheRecordedOnes(t *testing.T) {
	tests := []struct {
		recording string
		goesOn    string // what the model would have said next
		fault     Fault
		steady    func(string) string // for what this server does not follow
	}{
		{recording: "chat-stream-cold"},
		{recording: "chat-stream-num-predict-1"},
		{recording: "chat-stream-stop-by-end-token"},
		{recording: "chat-stream-stop-string", goesOn: " any that"},
		// Prompts are counted by another tokeniser here.
		{recording: "chat-stream-thinking-only", steady: without(`"prompt_eval_count":\d+`)},
		{recording: "chat-stream-repeat-limit", goesOn: " new new new"},
		{recording: "generate-stream-cold"},
		{recording: "generate-nonstream-cold"},
		{recording: "generate-nonstream-stop-string", goesOn: " the"},
		{recording: "generate-preload-cold"},
		{recording: "generate-unload"},
		{recording: "embed-1-cold"},
		{recording: "embed-8-warm", steady: without(`"prompt_eval_count":\d+`)},
		{recording: "embed-empty-input"},
		{recording: "embed-too-long-error"},
		{recording: "embeddings-legacy"},
		{recording: "error-bad-json"},
		{recording: "error-unknown-model-chat"},
		{recording: "error-unknown-model-v1"},
		{recording: "runner-killed-chat-stream", goesOn: " and more", fault: Fault{AfterLines: 6, Crash: true}},
		{recording: "server-killed-chat-stream", goesOn: " and more", fault: Fault{AfterLines: 6, Cut: true}},
		{recording: "v1-chat-nonstream"},
		{recording: "v1-chat-stream"},
		{recording: "v1-chat-stream-usage"},
		{recording: "v1-completions-stream-usage", steady: without(`"(prompt|total)_tokens":1\d`)},
		{recording: "v1-embeddings-cold", steady: without(`_tokens":\d+`)},
	}
	for _, tt := range tests {
		t.Run(tt.recording, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want := readRecording(t, tt.recording)
				says := func(string) string { return want.said() + tt.goesOn }
				o := NewOllama(OllamaConfig{
					Models: []Model{
						{Name: "small-10m", Load: 300 * ms, Prefill: 40 * ms, TokenTime: 7*ms + 123456, Answer: says, NumCtx: 512},
						{Name: "tiny", Load: 300 * ms, Prefill: 5 * ms, TokenTime: ms, Answer: says},
						{Name: "tiny-eos", Load: 300 * ms, Prefill: 5 * ms, TokenTime: ms, Answer: says},
						{Name: "tiny-think", Load: 300 * ms, Prefill: 5 * ms, TokenTime: ms, Answer: says, Thinking: says},
						{Name: "tiny-embed", Kind: Embed, Load: 300 * ms, Prefill: ms, Dim: 64, NumCtx: 512},
					},
					Script: func(int, *http.Request, []byte) Fault { return tt.fault },
				})
				got := serve(t, o).do(want.Method, want.Path, want.Body)
				if tt.fault.Cut != (got.err != nil) {
					t.Errorf("reading the body: %v", got.err)
				}
				if got.status != want.Answer.Status {
					t.Errorf("status %d, want %d", got.status, want.Answer.Status)
				}
				if got, want := headers(got.header, got.body), headersWanted(want); got != want {
					t.Errorf("headers %s, want %s", got, want)
				}
				same := func(s string) string {
					if s = steady(s); tt.steady != nil {
						s = tt.steady(s)
					}
					return s
				}
				if diff := cmp.Diff(same(want.body()), same(got.body)); diff != "" {
					t.Errorf("body (-recorded +got):\n%s", diff)
				}
			})
		})
	}
}

// without takes out what the pattern matches.
func without(pattern string) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(s string) string { return re.ReplaceAllString(s, "") }
}

// headers says which headers there are and what the content type is. The client has taken the framing off, but for the
// length.
func headers(h http.Header, body string) string {
	framing := "chunked"
	if h.Get("Content-Length") != "" {
		framing = "length"
	}
	extra := ""
	for name := range h {
		if name != "Content-Type" && name != "Date" && name != "Content-Length" {
			extra += " " + name
		}
	}
	return h.Get("Content-Type") + " " + framing + extra
}

func headersWanted(r recording) string {
	framing := "chunked"
	if r.Answer.Headers["content-length"] != "" {
		framing = "length"
	}
	return r.Answer.Headers["content-type"] + " " + framing
}

// /api/ps has the recorded fields in the recorded order.
func TestProcessesAreWrittenAsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := readRecording(t, "chat-stream-cold")
		c := serve(t, NewOllama(OllamaConfig{Models: []Model{{Name: "small-10m", NumCtx: 512}}}))
		c.do(want.Method, want.Path, want.Body)
		got := c.do("GET", "/api/ps", "")
		keys := regexp.MustCompile(`"[a-z_]+":`)
		if diff := cmp.Diff(keys.FindAllString(string(want.After.PS), -1), keys.FindAllString(got.body, -1)); diff != "" {
			t.Errorf("keys (-recorded +got):\n%s", diff)
		}
	})
}
