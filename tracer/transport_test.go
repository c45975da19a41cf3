package tracer_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// A cold chat on a new connection: handling and load take 2004 ms, template and tokeniser 1 ms, the prompt 100 ms, and six
// tokens have five steps of 20 ms. Nothing else takes any time.
func TestColdChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, coldOllama())
		start := time.Now()
		ctx, q := tracer.Ask(t.Context(), "cold-chat", w.opts...)
		resp := w.post(ctx, t, "http://ollama:11434/api/chat", obj{
			"model": "llama3.2", "messages": []obj{{"role": "user", "content": "why?"}},
			"keep_alive": "10m", "options": obj{"num_ctx": 2048, "temperature": 0.5, "seed": 7},
		})
		drain(t, resp)
		q.End(nil)

		call := only(t, w.rec, "chat llama3.2")
		want := obj{
			"ragtrace.stage": "llm", "ragtrace.inside_llm": true, "ragtrace.timing.source": "measured",
			"openinference.span.kind": "LLM", "ragtrace.question.number": int64(1),
			"session.id": "cold-chat", "gen_ai.conversation.id": "cold-chat",
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "ollama", "peer.service": "ollama",
			"gen_ai.request.model": "llama3.2", "gen_ai.response.model": "llama3.2",
			"gen_ai.request.stream": true, "gen_ai.request.temperature": 0.5, "gen_ai.request.seed": int64(7),
			"ragtrace.llm.request.num_ctx": int64(2048), "ragtrace.llm.request.keep_alive": 600.0,
			"server.address": "ollama", "server.port": int64(11434),
			"http.request.method": "POST", "http.response.status_code": int64(200), "ragtrace.http.conn.reused": false,
			"gen_ai.usage.input_tokens": int64(3), "gen_ai.usage.output_tokens": int64(6),
			"gen_ai.response.finish_reasons":        []string{"stop"},
			"gen_ai.response.time_to_first_chunk":   2.105,
			"ragtrace.llm.time_to_first_token":      2.105,
			"ragtrace.llm.total.duration":           2.205,
			"ragtrace.llm.load.duration":            2.004,
			"ragtrace.llm.prefill.duration":         0.1,
			"ragtrace.llm.decode.duration":          0.1,
			"ragtrace.llm.time_per_output_token":    0.02,
			"ragtrace.llm.inter_chunk.mean":         0.02,
			"ragtrace.llm.inter_chunk.p50":          0.02,
			"ragtrace.llm.inter_chunk.p95":          0.02,
			"ragtrace.llm.inter_chunk.max":          0.02,
			"ragtrace.llm.token_events":             int64(5),
			"ragtrace.llm.queue.duration":           0.0,
			"ragtrace.llm.decode_residual.duration": 0.001,
		}
		if diff := cmp.Diff(want, obj(attrsOf(call))); diff != "" {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
		if call.Status().Code != codes.Unset {
			t.Errorf("status %v, want unset", call.Status())
		}
		if e := call.Events(); len(e) != 1 || e[0].Name != "first_chunk" || e[0].Time.Sub(start) != 2105*time.Millisecond {
			t.Errorf("events %v, want first_chunk after 2.105s", e)
		}
		got := make(map[string][2]time.Duration)
		for _, s := range w.rec.Ended() {
			got[s.Name()] = [2]time.Duration{s.StartTime().Sub(start), s.EndTime().Sub(start)}
		}
		ms, us := time.Millisecond, time.Microsecond
		wantTimes := map[string][2]time.Duration{
			"question":      {0, 2205 * ms},
			"chat llama3.2": {0, 2205 * ms},
			"llm.load":      {0, 2004*ms - us},
			"llm.prefill":   {2004 * ms, 2104*ms - us},
			"llm.decode":    {2104 * ms, 2205 * ms},
		}
		if diff := cmp.Diff(wantTimes, got); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
		for _, name := range []string{"llm.load", "llm.prefill", "llm.decode"} {
			want := obj{
				"ragtrace.stage": name, "ragtrace.inside_llm": true, "ragtrace.timing.source": "reported",
				"openinference.span.kind": "CHAIN", "ragtrace.question.number": int64(1), "session.id": "cold-chat",
			}
			if diff := cmp.Diff(want, obj(attrsOf(only(t, w.rec, name)))); diff != "" {
				t.Errorf("%s: attributes (-want +got):\n%s", name, diff)
			}
		}
	})
}

// A whole question: embed, search, rerank, prompt and chat.
func TestQuestionTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		mux.Handle("/api/", coldOllama())
		mux.Handle("/collections/", fakeserver.NewVectorStore(fakeserver.StoreConfig{Search: 5 * time.Millisecond}))
		mux.Handle("/v1/rerank", fakeserver.NewReranker(fakeserver.RerankerConfig{Latency: 30 * time.Millisecond}))
		w := newWorld(t, mux)
		put := func(url string, body string) {
			req, _ := http.NewRequest("PUT", url, strings.NewReader(body))
			resp, err := w.bare.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			drain(t, resp)
		}
		put("http://qdrant/collections/docs", `{"vectors":{"size":2,"distance":"Cosine"}}`)
		put("http://qdrant/collections/docs/points?wait=true", `{"points":[{"id":1,"vector":[1,0],"payload":{}},{"id":2,"vector":[0,1],"payload":{}}]}`)

		ctx, q := tracer.Ask(t.Context(), "tree", w.opts...)
		drain(t, w.post(ctx, t, "http://ollama/api/embed", obj{"model": "nomic", "input": "why?"}))
		drain(t, w.post(ctx, t, "http://qdrant/collections/docs/points/query", obj{"query": []float64{1, 0}, "limit": 2}))
		drain(t, w.post(ctx, t, "http://rerank/v1/rerank", obj{"model": "bge", "query": "why", "documents": []string{"a", "why"}, "top_n": 1}))
		_, prompt := tracer.Stage(ctx, "prompt")
		prompt.End(nil)
		drain(t, w.post(ctx, t, "http://ollama/api/chat", chat("llama3.2")))
		drain(t, w.post(ctx, t, "http://elsewhere/api/whatever?q=secret", obj{"x": 1}))
		q.End(nil)

		want := `question ragtrace.stage=question
├─ embeddings nomic client ragtrace.stage=embed
│  ├─ embed.load ragtrace.stage=embed.load
│  └─ embed.compute ragtrace.stage=embed.compute
├─ query_points docs client ragtrace.stage=search db.response.returned_rows=2
│  └─ search.server ragtrace.stage=search.server
├─ rerank bge client ragtrace.stage=rerank ragtrace.rerank.candidate.count=2 ragtrace.rerank.result.count=1
├─ prompt ragtrace.stage=prompt
├─ chat llama3.2 client ragtrace.stage=llm
│  ├─ llm.load ragtrace.stage=llm.load
│  ├─ llm.prefill ragtrace.stage=llm.prefill
│  └─ llm.decode ragtrace.stage=llm.decode
└─ POST client error url.full=http://elsewhere/api/whatever
`
		keys := []attribute.Key{attr.Stage, "db.response.returned_rows", attr.RerankCandidateCount, attr.RerankResultCount, "url.full"}
		if diff := cmp.Diff(want, w.rec.Tree(keys...)); diff != "" {
			t.Errorf("tree (-want +got):\n%s", diff)
		}
		for _, s := range w.rec.Ended() {
			if tracertest.Value(s, attr.SessionID).AsString() != "tree" || tracertest.Value(s, attr.QuestionNumber).AsInt64() != 1 {
				t.Errorf("%s does not carry the question", s.Name())
			}
			for _, kv := range s.Attributes() {
				if isPhase := tracertest.Value(s, attr.Stage).AsString(); strings.Contains(isPhase, ".") && strings.HasPrefix(string(kv.Key), "gen_ai.") {
					t.Errorf("phase %s carries %s", s.Name(), kv.Key)
				}
			}
		}
		checkPlaced(t, w.rec)
	})
}

// checkPlaced checks that phases lie inside their call, and end at least 1 µs before the next begins.
func checkPlaced(t *testing.T, r *tracertest.Recorder) {
	t.Helper()
	spans := r.Ended()
	for _, p := range spans {
		var last time.Time
		for _, s := range spans { // phases end in the order of their start
			if s.Parent().SpanID() != p.SpanContext().SpanID() || !strings.Contains(tracertest.Value(s, attr.Stage).AsString(), ".") {
				continue
			}
			if s.StartTime().Before(p.StartTime()) || s.EndTime().After(p.EndTime()) {
				t.Errorf("%s is not inside %s", s.Name(), p.Name())
			}
			if !last.IsZero() && s.StartTime().Sub(last) < time.Microsecond {
				t.Errorf("%s begins %v after the phase before it", s.Name(), s.StartTime().Sub(last))
			}
			last = s.EndTime()
		}
	}
}

func TestHowCallsEnd(t *testing.T) {
	const url = "http://ollama:11434/api/chat"
	for _, c := range []struct {
		name      string
		fault     fakeserver.Fault
		read      func(ctx context.Context, cancel func(), resp *http.Response)
		errorType string
		reasons   []string
		flags     []string
		after     time.Duration // the span's end
	}{
		{name: "closed after two tokens", read: func(_ context.Context, _ func(), resp *http.Response) {
			io.ReadFull(resp.Body, make([]byte, 200))
			resp.Body.Close()
		}, errorType: "canceled", reasons: []string{"error"}, after: 2125 * time.Millisecond},
		{name: "cancelled while waiting", read: func(_ context.Context, cancel func(), resp *http.Response) {
			io.ReadFull(resp.Body, make([]byte, 200))
			time.AfterFunc(7*time.Millisecond, cancel)
			io.ReadAll(resp.Body)
		}, errorType: "canceled", reasons: []string{"error"}, after: 2132 * time.Millisecond},
		{name: "cancelled and never read again", read: func(_ context.Context, cancel func(), resp *http.Response) {
			io.ReadFull(resp.Body, make([]byte, 200))
			cancel()
			time.Sleep(time.Hour)
		}, errorType: "canceled", reasons: []string{"error"}, after: 2125 * time.Millisecond},
		{name: "all but the end read, then closed", read: func(_ context.Context, _ func(), resp *http.Response) {
			for b := make([]byte, 1); ; {
				if _, err := resp.Body.Read(b); err != nil || b[0] == '\n' && time.Since(time.Unix(946684800, 0)) >= 2205*time.Millisecond {
					break
				}
			}
			resp.Body.Close()
		}, reasons: []string{"stop"}, after: 2205 * time.Millisecond},
		{name: "connection cut", fault: fakeserver.Fault{Cut: true, AfterLines: 2},
			errorType: "unexpected_eof", reasons: []string{"error"}, after: 2145 * time.Millisecond},
		{name: "stopped without an end", fault: fakeserver.Fault{Stop: true, AfterLines: 2},
			reasons: []string{"error"}, after: 2145 * time.Millisecond},
		{name: "error in the stream", fault: fakeserver.Fault{Error: "out of memory", AfterLines: 2},
			errorType: "server_error", reasons: []string{"error"}, after: 2145 * time.Millisecond},
		{name: "503", fault: fakeserver.Fault{Status: 503, Body: `{"error":"busy"}`}, errorType: "503"},
		{name: "404 that is no JSON", fault: fakeserver.Fault{Status: 404, Body: "<html>", ContentType: "text/html"}, errorType: "404"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ollama := fakeserver.NewOllama(fakeserver.OllamaConfig{
					Models: []fakeserver.Model{{Name: "llama3.2", Load: 2 * time.Second, Prefill: 100 * time.Millisecond, TokenTime: 20 * time.Millisecond, Answer: fiveWords}},
					Script: func(int, *http.Request, []byte) fakeserver.Fault { return c.fault },
				})
				w := newWorld(t, ollama)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				start := time.Now()
				resp := w.post(ctx, t, url, chat("llama3.2"))
				if c.read == nil {
					io.ReadAll(resp.Body)
				} else {
					c.read(ctx, cancel, resp)
				}
				resp.Body.Close()
				synctest.Wait()
				s := only(t, w.rec, "chat llama3.2")
				if got := tracertest.Value(s, "error.type").AsString(); got != c.errorType {
					t.Errorf("error.type %q, want %q", got, c.errorType)
				}
				if failed := s.Status().Code == codes.Error; failed != (c.errorType != "") {
					t.Errorf("status %v", s.Status())
				}
				if diff := cmp.Diff(c.reasons, tracertest.Value(s, attr.ResponseFinishReasons).AsStringSlice()); diff != "" {
					t.Errorf("finish reasons (-want +got):\n%s", diff)
				}
				if got := s.EndTime().Sub(start); got != c.after {
					t.Errorf("ended after %v, want %v", got, c.after)
				}
				if open := w.rec.Open(); len(open) > 0 {
					t.Errorf("spans left open: %v", open)
				}
			})
		})
	}
}

// A program's own service may have a path of a model server's. Its call is no stage, and says nothing of a model.
func TestPathOfAModelServer(t *testing.T) {
	rec := tracertest.New(t)
	t.Setenv("RAGTRACE_SEMCONV", "dup")
	client := tracer.Transport(roundTripFunc(func(*http.Request) (*http.Response, error) { return textOf(`{"reply":"hello"}`), nil }),
		tracer.WithTracerProvider(rec.TracerProvider()))
	req, _ := http.NewRequest("POST", "http://backend:3000/api/chat", strings.NewReader(`{"messages":[{"role":"user","content":"hi"}]}`))
	resp, err := client.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	drain(t, resp)
	want := map[string]any{
		"http.request.method": "POST", "server.address": "backend", "server.port": int64(3000), "http.response.status_code": int64(200),
		"url.full": "http://backend:3000/api/chat", "ragtrace.inside_llm": false,
	}
	got := attrsOf(only(t, rec, "POST"))
	for key, v := range got {
		if v == "" {
			delete(got, key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
}

func TestCallWithoutAnswer(t *testing.T) {
	rec := tracertest.New(t)
	refused := fmt.Errorf("dial: %w", context.DeadlineExceeded)
	client := tracer.Transport(roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, refused }),
		tracer.WithTracerProvider(rec.TracerProvider()))
	req, _ := http.NewRequest("POST", "http://ollama/api/chat", strings.NewReader(`{"model":"m","messages":[{}]}`))
	if _, err := client.RoundTrip(req); err != refused {
		t.Errorf("error %v, want the very one of the base", err)
	}
	s := only(t, rec, "chat m")
	if got := tracertest.Value(s, "error.type").AsString(); got != "timeout" || s.Status().Code != codes.Error {
		t.Errorf("error.type %q, status %v; want timeout, error", got, s.Status())
	}
}

func TestAbandonedBodies(t *testing.T) {
	const answer = `{"model":"m","message":{"role":"assistant","content":"a"},"done":false}` + "\n"
	rec := tracertest.New(t)
	opt := tracer.WithTracerProvider(rec.TracerProvider())
	client := tracer.Transport(roundTripFunc(func(*http.Request) (*http.Response, error) { return textOf(answer + answer), nil }), opt)
	ask := func(ctx context.Context) {
		req, _ := http.NewRequestWithContext(ctx, "POST", "http://ollama/api/chat", strings.NewReader(`{"model":"m","messages":[{}]}`))
		resp, err := client.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, len(answer)))
	}
	check := func() {
		t.Helper()
		s := only(t, rec, "chat m")
		if diff := cmp.Diff([]string{"abandoned"}, tracertest.Value(s, attr.Flags).AsStringSlice()); diff != "" {
			t.Errorf("flags (-want +got):\n%s", diff)
		}
		rec.Reset()
	}
	t.Run("end with their question", func(t *testing.T) {
		ctx, q := tracer.Ask(t.Context(), "", opt)
		ask(ctx)
		if open := rec.Open(); !cmp.Equal(open, []string{"question", "chat"}) {
			t.Errorf("open: %v, want question and chat", open)
		}
		q.End(nil)
		check()
	})
	t.Run("or when they are collected", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		ask(ctx)
		for deadline := time.Now().Add(10 * time.Second); len(rec.Ended()) == 0 && time.Now().Before(deadline); {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		check()
	})
}

// Reading, closing and cancelling at once ends a span once, and nothing is left open.
func TestEndedOnce(t *testing.T) {
	rec := tracertest.New(t)
	opt := tracer.WithTracerProvider(rec.TracerProvider())
	client := tracer.Transport(roundTripFunc(func(*http.Request) (*http.Response, error) {
		return textOf(strings.Repeat(`{"model":"m","message":{"content":"a"},"done":false}`+"\n", 20)), nil
	}), opt)
	const n = 200
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			ctx, q := tracer.Ask(context.Background(), "", opt)
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			req, _ := http.NewRequestWithContext(ctx, "POST", "http://ollama/api/chat", strings.NewReader(`{"model":"m","messages":[{}]}`))
			resp, err := client.RoundTrip(req)
			if err != nil {
				t.Error(err)
				return
			}
			var wg sync.WaitGroup
			wg.Go(func() { io.Copy(io.Discard, resp.Body) })
			wg.Go(func() { resp.Body.Close() })
			wg.Go(cancel)
			wg.Go(func() { q.End(nil) })
			wg.Wait()
		})
	}
	all.Wait()
	if got := len(rec.Named("chat m")); got != n {
		t.Errorf("%d calls ended, want %d", got, n)
	}
	if open := rec.Open(); len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
}
