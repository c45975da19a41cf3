package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/uber/jaeger-client-go"

	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// tagsOf are the span's tags but those that the sampler adds.
func tagsOf(s *jaeger.Span) map[string]any {
	tags := map[string]any(s.Tags())
	delete(tags, "sampler.type")
	delete(tags, "sampler.param")
	return tags
}

func TestOneTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var atOllama http.Header
		ollama := warmOllama()
		w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			atOllama = r.Header
			ollama.ServeHTTP(rw, r)
		}), 1)
		w.ask("anna")
		if rw := w.ask("anna"); rw.Code != http.StatusOK || !strings.Contains(rw.Body.String(), `"done":true`) {
			t.Fatalf("answered %d %s", rw.Code, rw.Body)
		}

		call := w.app.Named("chat llama3.2")[1]
		server, client := w.spans(t, "POST /api/chat")[1], w.spans(t, "POST")[1]
		sc, cc := server.SpanContext(), client.SpanContext()
		if got, want := sc.TraceID().String(), call.SpanContext().TraceID().String(); got != want || cc.TraceID() != sc.TraceID() {
			t.Errorf("traces %s and %s, want %s", got, cc.TraceID(), want)
		}
		if got, want := sc.ParentID().String(), call.SpanContext().SpanID().String(); got != want {
			t.Errorf("the gateway's span is below %s, want the call's %s", got, want)
		}
		if cc.ParentID() != sc.SpanID() {
			t.Errorf("the request to Ollama is below %s, want the gateway's %s", cc.ParentID(), sc.SpanID())
		}
		if got, want := atOllama.Get("Traceparent"), "00-"+sc.TraceID().String()+"-"+cc.SpanID().String()+"-01"; got != want {
			t.Errorf("Ollama got traceparent %s, want %s", got, want)
		}
		if got, want := atOllama.Get("Baggage"), "ragtrace.question.number=2,session.id=anna"; got != want {
			t.Errorf("Ollama got baggage %s, want %s", got, want)
		}
		session := func(tags map[string]any) map[string]any {
			tags["session.id"], tags["gen_ai.conversation.id"], tags["ragtrace.question.number"] = "anna", "anna", int64(2)
			return tags
		}
		if diff := cmp.Diff(session(map[string]any{
			"span.kind": "server", "http.method": "POST", "http.status_code": uint16(200),
			"ragtrace.stage": "gateway", "ragtrace.inside_llm": false, "ragtrace.timing.source": "measured", "openinference.span.kind": "CHAIN",
		}), tagsOf(server), kinds); diff != "" {
			t.Errorf("the gateway's span (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(session(map[string]any{
			"span.kind": "client", "http.method": "POST", "http.status_code": uint16(200),
			"http.url": "http://ollama/api/chat", "peer.service": "ollama",
		}), tagsOf(client), kinds); diff != "" {
			t.Errorf("the request to Ollama (-want +got):\n%s", diff)
		}
		if tracertest.Value(call, "ragtrace.question.number").AsInt64() != 2 {
			t.Error("the call is not of question 2")
		}
	})
}

// kinds compares span kinds, which have a type of their own, as text.
var kinds = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == `["span.kind"]` },
	cmp.Transformer("text", func(v any) string { return fmt.Sprint(v) }))

// A line of the stream arrives before the next one is written.
func TestStreamingIsNotHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := make(chan struct{})
		w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			rw.Header().Set("Content-Type", "application/x-ndjson")
			for range 3 {
				io.WriteString(rw, `{"model":"m","message":{"content":"a"},"done":false}`+"\n")
				rw.(http.Flusher).Flush()
				select {
				case <-got:
				case <-time.After(time.Minute):
					t.Error("the line has not arrived after a minute")
					return
				}
			}
		}), 1)
		resp, err := w.client.Post("http://gateway/api/chat", "application/json", strings.NewReader(`{"model":"m","messages":[{}]}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		start := time.Now()
		lines := bufio.NewScanner(resp.Body)
		for range 3 {
			if !lines.Scan() {
				t.Fatal(lines.Err())
			}
			got <- struct{}{}
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("the lines took %v", d)
		}
	})
}

func TestWaitingForASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, warmOllama(), 1)
		w.gateway.slots <- struct{}{} // somebody else's
		time.AfterFunc(800*time.Millisecond, w.gateway.leave)
		w.ask("anna")
		queue, server := w.spans(t, "gateway.queue")[0], w.spans(t, "POST /api/chat")[0]
		if queue.Duration() != 800*time.Millisecond || queue.SpanContext().ParentID() != server.SpanContext().SpanID() {
			t.Errorf("the queue took %v below %s", queue.Duration(), queue.SpanContext().ParentID())
		}
		if stage := queue.Tags()["ragtrace.stage"]; stage != "gateway" {
			t.Errorf("its stage is %v", stage)
		}
		if len(w.gateway.slots) != 0 {
			t.Error("the slot was not given back")
		}
	})
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		ollama http.HandlerFunc
		status int
		tag    any // http.status_code of the gateway's span
		failed bool
	}{
		{"not found", http.NotFound, 404, uint16(404), false},
		{"overloaded", func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "busy", http.StatusServiceUnavailable) }, 503, uint16(503), true},
		{"gone", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 502, uint16(502), true},
		{"breaks off", func(rw http.ResponseWriter, _ *http.Request) {
			io.WriteString(rw, "a")
			rw.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, 200, uint16(200), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					c.ollama(rw, r)
				}), 1)
				if got := w.ask("anna").Code; got != c.status {
					t.Errorf("answered %d, want %d", got, c.status)
				}
				server := w.spans(t, "POST /api/chat")[0]
				if got := server.Tags()["http.status_code"]; got != c.tag || (server.Tags()["error"] == true) != c.failed {
					t.Errorf("tags %v, want status %v, failed %v", server.Tags(), c.tag, c.failed)
				}
				if n := len(w.spans(t, "POST")); n != 1 {
					t.Errorf("%d requests to Ollama have a span, want 1", n)
				}
				if len(w.gateway.slots) != 0 {
					t.Error("the slot was not given back")
				}
			})
		})
	}
}

func TestClientLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, warmOllama(), 1)
		w.gateway.slots <- struct{}{}
		w.client.Timeout = time.Second
		if _, err := w.client.Get("http://gateway/api/tags"); err == nil {
			t.Error("there was an answer")
		}
		synctest.Wait()
		for _, name := range []string{"gateway.queue", "GET /api/tags"} {
			if s := w.spans(t, name)[0]; s.Tags()["error"] != true || s.Duration() != time.Second {
				t.Errorf("%s took %v, tags %v", name, s.Duration(), s.Tags())
			}
		}
		if len(w.gateway.slots) != 1 {
			t.Error("a slot was given back that was not taken")
		}
	})
}
