package tracer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// What a program sees of an exchange: every read with its moment, size and error.
type seen struct {
	Err    string
	Status string
	Header http.Header
	Length int64
	Reads  []string
	Close  string
}

// A client's way of reading an answer.
type reading struct {
	name    string
	size    int           // of the buffer
	pause   time.Duration // between reads
	stop    int           // reads before it closes; 0 is never
	leave   time.Duration // when the request's context ends; 0 is never
	timeout time.Duration // of the context; 0 is none
}

func watch(client *http.Client, how reading, url, body string, chunked bool) seen {
	start := time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if how.leave > 0 {
		defer time.AfterFunc(how.leave, cancel).Stop()
	}
	if how.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, how.timeout)
		defer cancel()
	}
	var src io.Reader = strings.NewReader(body)
	if chunked {
		src = struct{ io.Reader }{src}
	}
	req, _ := http.NewRequestWithContext(ctx, "POST", url, src)
	resp, err := client.Do(req)
	if err != nil {
		return seen{Err: err.Error()}
	}
	s := seen{Status: resp.Status, Header: resp.Header, Length: resp.ContentLength}
	buf := make([]byte, how.size)
	for {
		n, err := resp.Body.Read(buf)
		s.Reads = append(s.Reads, fmt.Sprint(time.Since(start), " ", n, " ", string(buf[:n]), " ", err))
		if err != nil || how.stop > 0 && len(s.Reads) == how.stop {
			break
		}
		time.Sleep(how.pause)
	}
	s.Close = fmt.Sprint(resp.Body.Close())
	n, err := resp.Body.Read(buf)
	s.Reads = append(s.Reads, fmt.Sprint("after Close: ", n, " ", err))
	return s
}

var chatID = regexp.MustCompile(`chatcmpl-\d+`)

// sameIDs replaces the one part of the answers that is drawn by lot. It is a number of one to three digits.
func sameIDs(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(idWriter{w}, r) })
}

type idWriter struct{ http.ResponseWriter }

func (w idWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w idWriter) Flush() { w.ResponseWriter.(http.Flusher).Flush() }

func (w idWriter) Write(p []byte) (int, error) {
	if _, err := w.ResponseWriter.Write(chatID.ReplaceAll(p, []byte("chatcmpl-1"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// The same exchange, traced and untraced, looks the same to the program, to the byte and the moment.
func TestUnchanged(t *testing.T) {
	chat := `{"model":"llama3.2","messages":[{"role":"user","content":"why?"}]}`
	plain := `{"model":"llama3.2","messages":[{"role":"user","content":"why?"}],"stream":false}`
	faults := map[string]fakeserver.Fault{
		"none":        {},
		"503":         {Status: 503, Body: `{"error":"busy"}`},
		"404":         {Status: 404, Body: "404 page not found", ContentType: "text/plain"},
		"html":        {Body: "<html>not JSON</html>", ContentType: "text/html"},
		"not JSON":    {Body: "{{{{]]]"},
		"empty":       {Status: 200, Body: " "},
		"cut":         {Cut: true, AfterLines: 2},
		"reset":       {Reset: true, AfterLines: 2},
		"stop":        {Stop: true, AfterLines: 2},
		"error":       {Error: "out of memory", AfterLines: 2},
		"crash":       {Crash: true, AfterLines: 2},
		"single byte": {WriteSize: 1},
		"in threes":   {WriteSize: 3, WriteGap: time.Millisecond},
	}
	readings := []reading{
		{name: "plain", size: 512},
		{name: "one byte", size: 1},
		{name: "late", size: 64, pause: 50 * time.Millisecond},
		{name: "closes", size: 64, stop: 3},
		{name: "leaves", size: 512, leave: 2150 * time.Millisecond},
		{name: "leaves early", size: 512, leave: time.Second},
		{name: "times out", size: 512, timeout: 2150 * time.Millisecond},
	}
	requests := []struct {
		name, path, body string
		chunked          bool
	}{
		{"stream", "/api/chat", chat, false},
		{"chunked request", "/api/chat", chat, true},
		{"no stream", "/api/chat", plain, false},
		{"openai", "/v1/chat/completions", strings.Replace(chat, "{", `{"stream":true,`, 1), false},
		{"unknown", "/other", "x", false},
	}
	for name, fault := range faults {
		for _, how := range readings {
			for _, r := range requests {
				if r.name == "openai" && fault.WriteSize > 0 {
					continue // cuts the ids
				}
				t.Run(name+"/"+how.name+"/"+r.name, func(t *testing.T) {
					observe := func(traced bool) (got seen) {
						synctest.Test(t, func(t *testing.T) {
							w := newWorld(t, sameIDs(fakeserver.NewOllama(fakeserver.OllamaConfig{
								Models: []fakeserver.Model{{Name: "llama3.2", Load: 2 * time.Second, Prefill: 100 * time.Millisecond, TokenTime: 20 * time.Millisecond, Answer: fiveWords}},
								Script: func(int, *http.Request, []byte) fakeserver.Fault { return fault },
							})))
							client := w.bare
							if traced {
								client = w.client
							}
							got = watch(client, how, "http://ollama:11434"+r.path, r.body, r.chunked)
							synctest.Wait()
							if open := w.rec.Open(); len(open) > 0 {
								t.Errorf("spans left open: %v", open)
							}
							if n := len(w.rec.Ended()); traced && n == 0 {
								t.Error("no span")
							}
						})
						return got
					}
					if diff := cmp.Diff(observe(false), observe(true)); diff != "" {
						t.Errorf("(-untraced +traced):\n%s", diff)
					}
				})
			}
		}
	}
}

// A client's own timeout is told as one, and the span tells it too. (net/http words it in another way for any transport but
// its own.)
func TestClientTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, coldOllama())
		for _, client := range []*http.Client{w.bare, w.client} {
			client.Timeout = 1500 * time.Millisecond
			_, err := client.Post("http://ollama/api/chat", "application/json", strings.NewReader(`{"model":"llama3.2","messages":[{}]}`))
			var timeout interface{ Timeout() bool }
			if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("error %v, want a timeout", err)
			}
		}
		if got := tracertest.Value(only(t, w.rec, "chat llama3.2"), "error.type").AsString(); got != "timeout" {
			t.Errorf("error.type %q, want timeout", got)
		}
	})
}

// The request that is sent has trace headers and is otherwise the caller's, which stays as it was.
func TestRequestUnchanged(t *testing.T) {
	rec := tracertest.New(t)
	for _, c := range []struct {
		name string
		body io.Reader
	}{
		{"in memory", strings.NewReader(`{"model":"m"}`)},
		{"streamed", struct{ io.Reader }{strings.NewReader(`{"model":"m"}`)}},
		{"none", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, _ := http.NewRequest("POST", "http://ollama/api/chat", c.body)
			req.Header.Set("X-Mine", "1")
			before, body := req.Header.Clone(), req.Body
			var sent *http.Request
			answer := textOf("x")
			client := tracer.Transport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
				sent = r
				answer.Request = r
				if r.Body != nil {
					b, _ := io.ReadAll(r.Body)
					if string(b) != `{"model":"m"}` {
						t.Errorf("sent %q", b)
					}
				}
				return answer, nil
			}), tracer.WithTracerProvider(rec.TracerProvider()), w3c)
			resp, err := client.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if diff := cmp.Diff(before, req.Header); diff != "" {
				t.Errorf("the caller's header changed:\n%s", diff)
			}
			if req.Body != body || resp.Request != req || resp != answer {
				t.Error("the caller's body, request or response is not its own")
			}
			if sent == req || sent.Header.Get("X-Mine") != "1" || sent.Header.Get("Traceparent") == "" {
				t.Errorf("sent header %v", sent.Header)
			}
			if sent.ContentLength != req.ContentLength || (sent.GetBody == nil) != (req.GetBody == nil) {
				t.Error("the body's length or its copy is gone")
			}
		})
	}
}
