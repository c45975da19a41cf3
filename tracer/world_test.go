package tracer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// A world is a handler served in memory inside a synctest bubble, and a traced client of it.
type world struct {
	rec    *tracertest.Recorder
	client *http.Client // traced
	bare   *http.Client // the same, untraced
	opts   []tracer.Option
}

func newWorld(t *testing.T, h http.Handler) *world {
	ln, dial := fakeserver.Listen()
	srv := &http.Server{Handler: h}
	go srv.Serve(ln)
	base := &http.Transport{DialContext: dial}
	t.Cleanup(func() {
		base.CloseIdleConnections()
		srv.Close()
		synctest.Wait()
	})
	w := &world{rec: tracertest.New(t), bare: &http.Client{Transport: base}}
	w.opts = []tracer.Option{tracer.WithTracerProvider(w.rec.TracerProvider()), w3c}
	w.client = &http.Client{Transport: tracer.Transport(base, w.opts...)}
	return w
}

func (w *world) post(ctx context.Context, t *testing.T, url string, body any) *http.Response {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func drain(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return string(b)
}

type obj = map[string]any

// chat is a request to Ollama's chat.
func chat(model string) obj {
	return obj{"model": model, "messages": []obj{{"role": "user", "content": "why?"}}}
}

// an answer of five words: six tokens with the end token.
func fiveWords(string) string { return "one two three four five" }

func coldOllama() *fakeserver.Ollama {
	return fakeserver.NewOllama(fakeserver.OllamaConfig{Models: []fakeserver.Model{
		{Name: "llama3.2", Load: 2 * time.Second, Prefill: 100 * time.Millisecond, TokenTime: 20 * time.Millisecond, Answer: fiveWords},
		{Name: "nomic", Kind: fakeserver.Embed, Load: time.Second, Prefill: 10 * time.Millisecond, Dim: 8},
	}})
}

// A roundTripFunc is a transport made of a function.
type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// textOf is an answer with that body.
func textOf(body string) *http.Response {
	return &http.Response{StatusCode: 200, Status: "200 OK", Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}
