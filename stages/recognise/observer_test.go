package recognise

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// call is a POST to path.
func call(path string) stages.Request {
	u, err := url.Parse("http://server:1" + path)
	if err != nil {
		panic(err)
	}
	return stages.Request{Method: http.MethodPost, URL: u, Header: http.Header{}}
}

// exchange shows an observer a whole exchange: sent at 1 ms, answered at 10, one piece a ms, ended at 20.
func exchange(req stages.Request, body string, status int, contentType string, how stages.Ended, err error, pieces ...string) *stages.Facts {
	o := New(req)
	o.GotConn(0)
	o.WroteHeaders(1 * ms)
	o.RequestBody([]byte(body))
	o.WroteRequest(1 * ms)
	if status != 0 {
		o.Response(10*ms, status, http.Header{"Content-Type": {contentType}})
		for i, p := range pieces {
			o.ResponseBody(time.Duration(10+i)*ms, []byte(p))
		}
	}
	o.End(20*ms, how, err)
	return o.Facts()
}

const (
	ollamaToken = `{"model":"m","created_at":"2026-11-30T09:00:00.01Z","message":{"role":"assistant","content":"A"},"done":false}` + "\n"
	ollamaDone  = `{"model":"m","created_at":"2026-11-30T09:00:00.02Z","message":{"content":""},"done":true,"done_reason":"stop"}` + "\n"
	chatBody    = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	ndjson      = "application/x-ndjson"
	jsonType    = "application/json"
)

func TestStatus(t *testing.T) {
	reset := errors.New("read: connection reset by peer")
	for _, tt := range []struct {
		name   string
		status int
		how    stages.Ended
		err    error
		pieces []string
		want   stages.Status
		words  string
	}{
		{"ok", 200, stages.EndedEOF, nil, []string{ollamaToken, ollamaDone}, stages.StatusOK, ""},
		{"closed after the finish", 200, stages.EndedClosed, nil, []string{ollamaToken, ollamaDone}, stages.StatusOK, ""},
		{"reset after the finish", 200, stages.EndedError, reset, []string{ollamaToken, ollamaDone}, stages.StatusOK, ""},
		{"closed in between", 200, stages.EndedClosed, context.Canceled, []string{ollamaToken}, stages.StatusCancelled, "context canceled"},
		{"clean end without a finish", 200, stages.EndedEOF, nil, []string{ollamaToken}, stages.StatusIncomplete, ""},
		{"reset after a token", 200, stages.EndedError, io.ErrUnexpectedEOF, []string{ollamaToken}, stages.StatusIncomplete, "unexpected EOF"},
		{"reset before a token", 200, stages.EndedError, reset, nil, stages.StatusError, "read: connection reset by peer"},
		{"error line", 200, stages.EndedEOF, nil, []string{ollamaToken, `{"error":"boom"}` + "\n"}, stages.StatusError, "boom"},
		{"refused", 503, stages.EndedEOF, nil, []string{`{"error":"server busy"}`}, stages.StatusError, "server busy"},
		{"refused without words", 502, stages.EndedEOF, nil, []string{"<html>bad gateway"}, stages.StatusError, "http_502"},
		{"refused without a body", 500, stages.EndedEOF, nil, nil, stages.StatusError, "http_500"},
		{"no connection", 0, stages.EndedError, reset, nil, stages.StatusError, "read: connection reset by peer"},
		{"gave up before an answer", 0, stages.EndedClosed, context.Canceled, nil, stages.StatusCancelled, "context canceled"},
		{"empty answer", 200, stages.EndedEOF, nil, nil, stages.StatusIncomplete, ""},
		{"an answer that is no JSON", 200, stages.EndedEOF, nil, []string{"<html>"}, stages.StatusIncomplete, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			contentType := ndjson
			if len(tt.pieces) < 2 {
				contentType = jsonType
			}
			if len(tt.pieces) > 0 && strings.HasPrefix(tt.pieces[0], `{"model`) {
				contentType = ndjson
			}
			f := exchange(call("/api/chat"), chatBody, tt.status, contentType, tt.how, tt.err, tt.pieces...)
			if f.Status != tt.want || f.Error != tt.words {
				t.Errorf("status %q, error %q; want %q, %q", f.Status, f.Error, tt.want, tt.words)
			}
			if f.Stage != stages.LLM {
				t.Errorf("stage %q, want llm", f.Stage)
			}
		})
	}
}

func TestUnknownStaysUnknown(t *testing.T) {
	for name, f := range map[string]*stages.Facts{
		"another path":           exchange(call("/weather"), `{}`, 200, jsonType, stages.EndedEOF, nil, `{"t":20}`),
		"a GET":                  exchange(stages.Request{Method: "GET", URL: call("/api/chat").URL}, "", 200, jsonType, stages.EndedEOF, nil, `{}`),
		"no URL":                 exchange(stages.Request{Method: "POST"}, "", 200, jsonType, stages.EndedEOF, nil, `{}`),
		"an application's chat":  exchange(call("/api/chat"), `{"question":"hi"}`, 200, jsonType, stages.EndedEOF, nil, `{"answer":"ho"}`),
		"the same, refused":      exchange(call("/api/chat"), `{"question":"hi"}`, 401, jsonType, stages.EndedEOF, nil, `{"error":"login"}`),
		"the same, left":         exchange(call("/api/chat"), `{"question":"hi"}`, 0, "", stages.EndedClosed, nil),
		"its own stream":         exchange(call("/api/chat"), chatBody, 200, "text/event-stream", stages.EndedEOF, nil, "data: {\"type\":\"text\"}\n\n"),
		"completions of its own": exchange(call("/completions"), `{"q":"x"}`, 200, jsonType, stages.EndedEOF, nil, `[]`),
	} {
		if f.API != stages.APIUnknown || f.Operation != "" || f.Stage != "" || f.System != "" {
			t.Errorf("%s: recognised as %s %s %s", name, f.API, f.Operation, f.Stage)
		}
	}
	f := exchange(call("/weather"), `{}`, 200, jsonType, stages.EndedEOF, nil, `{"t":`, `20}`)
	if f.Status != stages.StatusOK || f.Marks.Done.D != 11*ms || len(f.Flags) > 0 {
		t.Errorf("unknown exchange: %s, done at %v, flags %v; want ok at 11 ms", f.Status, f.Marks.Done.D, f.Flags)
	}
}

// TestFormIsEnough: an answer that has not come to a word is still the API's, though its request was not seen.
func TestFormIsEnough(t *testing.T) {
	const role = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}` + "\n\n"
	for _, tt := range []struct {
		name, path, contentType, piece string
		how                            stages.Ended
		api                            stages.API
		status                         stages.Status
	}{
		{"left after the role", "/v1/chat/completions", events, role, stages.EndedClosed, stages.APIOpenAI, stages.StatusCancelled},
		{"over after the role", "/v1/chat/completions", events, role, stages.EndedEOF, stages.APIOpenAI, stages.StatusIncomplete},
		{"over after an empty line", "/api/chat", ndjson, `{"model":"m","message":{"content":""},"done":false}` + "\n", stages.EndedEOF, stages.APIOllama, stages.StatusIncomplete},
		{"something else", "/api/chat", ndjson, `{"model":"m","reply":""}` + "\n", stages.EndedEOF, stages.APIUnknown, stages.StatusOK},
	} {
		o := New(call(tt.path))
		o.Response(1*ms, 200, http.Header{"Content-Type": {tt.contentType}})
		o.ResponseBody(2*ms, []byte(tt.piece))
		o.End(3*ms, tt.how, nil)
		if f := o.Facts(); f.API != tt.api || f.Status != tt.status {
			t.Errorf("%s: %q, %s; want %q, %s", tt.name, f.API, f.Status, tt.api, tt.status)
		}
	}
}

func TestGuess(t *testing.T) {
	for _, tt := range []struct {
		path   string
		api    stages.API
		op     stages.Operation
		stage  stages.Stage
		system string
	}{
		{"/api/chat", stages.APIOllama, stages.OpChat, stages.LLM, "ollama"},
		{"/ollama/api/generate/", stages.APIOllama, stages.OpTextCompletion, stages.LLM, "ollama"},
		{"/api/embed", stages.APIOllama, stages.OpEmbeddings, stages.Embed, "ollama"},
		{"/gateway/v1/chat/completions?x=1", stages.APIOpenAI, stages.OpChat, stages.LLM, "openai"},
		{"/openai/deployments/d/chat/completions", stages.APIOpenAI, stages.OpChat, stages.LLM, "openai"},
		{"/v1/completions", stages.APIOpenAI, stages.OpTextCompletion, stages.LLM, "openai"},
		{"/v1/responses", stages.APIOpenAI, stages.OpChat, stages.LLM, "openai"},
		{"/v1/embeddings", stages.APIOpenAI, stages.OpEmbeddings, stages.Embed, "openai"},
		{"/completion", "", "", "", ""},
		{"/", "", "", "", ""},
	} {
		api, op, stage, system := New(call(tt.path)).Guess()
		if api != tt.api || op != tt.op || stage != tt.stage || system != tt.system {
			t.Errorf("%s: %q %q %q %q; want %q %q %q %q", tt.path, api, op, stage, system, tt.api, tt.op, tt.stage, tt.system)
		}
	}
}

func TestUndecodedBodyCountsNothing(t *testing.T) {
	for encoding, body := range map[string]string{"br": ollamaToken, "gzip": ollamaToken} { // the second one lies
		o := New(call("/api/chat"))
		o.RequestBody([]byte(chatBody))
		o.Response(1*ms, 200, http.Header{"Content-Encoding": {encoding}, "Content-Type": {ndjson}})
		o.ResponseBody(2*ms, []byte(body))
		o.ResponseBody(3*ms, []byte(body))
		o.End(4*ms, stages.EndedEOF, nil)
		f := o.Facts()
		if !f.Flagged(stages.FlagUndecoded) || f.TokenEvents != 0 || f.Stage != stages.LLM || f.Status != stages.StatusOK {
			t.Errorf("%s: flags %v, %d tokens, stage %q, %s", encoding, f.Flags, f.TokenEvents, f.Stage, f.Status)
		}
	}
}

func TestOnlyTheFirstEndCounts(t *testing.T) {
	o := New(call("/api/chat"))
	o.Response(1*ms, 200, http.Header{"Content-Type": {ndjson}})
	o.ResponseBody(2*ms, []byte(ollamaToken))
	o.End(3*ms, stages.EndedClosed, nil)
	o.End(9*ms, stages.EndedEOF, nil)
	o.RequestBody([]byte(chatBody))
	o.WroteHeaders(9 * ms)
	o.Response(9*ms, 500, nil)
	o.ResponseBody(9*ms, []byte(ollamaDone))
	f := o.Facts()
	if f.Status != stages.StatusCancelled || f.Marks.End.D != 3*ms || f.HTTPStatus != 200 || f.Request.Model != "" {
		t.Errorf("after End: %s, end %v, HTTP %d, model %q", f.Status, f.Marks.End.D, f.HTTPStatus, f.Request.Model)
	}
}

// TestPiecesAreNotRetained spoils every buffer as soon as the observer has seen it.
func TestPiecesAreNotRetained(t *testing.T) {
	o := New(call("/api/chat"))
	give := func(to func([]byte), s string) {
		b := []byte(s)
		to(b)
		for i := range b {
			b[i] = '#'
		}
	}
	give(o.RequestBody, `{"model":"as`)
	give(o.RequestBody, `ked","messages":[]}`)
	o.Response(1*ms, 200, http.Header{"Content-Type": {ndjson}})
	answer := func(p []byte) { o.ResponseBody(2*ms, p) }
	give(answer, `{"model":"ans`)
	give(answer, `wered","message":{"content":"x"},"done":true,"done_reason":"st`)
	give(answer, `op"}`+"\n")
	o.End(3*ms, stages.EndedEOF, nil)
	if f := o.Facts(); f.Request.Model != "asked" || f.Model != "answered" || f.DoneReason != "stop" {
		t.Errorf("model %q, answered %q, reason %q", f.Request.Model, f.Model, f.DoneReason)
	}
}

// A brokenReader panics wherever it is told to.
type brokenReader struct {
	Reader
	where string
}

func (b brokenReader) Value(v stream.Value) {
	if b.where == "value" {
		panic("broken")
	}
	b.Reader.Value(v)
}

func (b brokenReader) End() {
	if b.where == "end" {
		panic("broken")
	}
	b.Reader.End()
}

// TestDefectsOfAReaderStayInside: the traced program must not notice.
func TestDefectsOfAReaderStayInside(t *testing.T) {
	for _, where := range []string{"value", "end"} {
		o := New(call("/api/chat"))
		o.Response(1*ms, 200, http.Header{"Content-Type": {ndjson}})
		o.reader = brokenReader{o.reader, where}
		o.ResponseBody(2*ms, []byte(ollamaToken))
		o.ResponseBody(3*ms, []byte(ollamaDone))
		o.End(4*ms, stages.EndedEOF, nil)
		o.End(5*ms, stages.EndedEOF, nil)
		if f := o.Facts(); !f.Flagged(stages.FlagMalformed) || f.Marks.End.D != 4*ms || f.Status == "" {
			t.Errorf("%s: flags %v, end %v, status %q", where, f.Flags, f.Marks.End.D, f.Status)
		}
	}
}

// TestBothSidesAtOnce is for the race detector: net/http sends the body beside reading the answer.
func TestBothSidesAtOnce(t *testing.T) {
	o := New(call("/api/chat"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			o.RequestBody([]byte(`{"model":"m"}`))
		}
		o.WroteRequest(1 * ms)
	}()
	o.Response(1*ms, 200, http.Header{"Content-Type": {ndjson}})
	for range 100 {
		o.ResponseBody(2*ms, []byte(ollamaToken))
	}
	o.End(3*ms, stages.EndedClosed, nil)
	<-done
	if f := o.Facts(); f.TokenEvents != 100 {
		t.Errorf("%d token events, want 100", f.TokenEvents)
	}
}
