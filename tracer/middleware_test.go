package tracer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

var w3c = tracer.WithPropagators(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))

// only is the one span with that name.
func only(t *testing.T, r *tracertest.Recorder, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	spans := r.Named(name)
	if len(spans) != 1 {
		t.Fatalf("got %d spans named %q, want 1; all spans:\n%s", len(spans), name, r.Tree())
	}
	return spans[0]
}

func attrsOf(s sdktrace.ReadOnlySpan) map[string]any {
	m := make(map[string]any)
	for _, kv := range s.Attributes() {
		m[string(kv.Key)] = kv.Value.AsInterface()
	}
	return m
}

func serve(h http.Handler, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest("POST", "/api/ask", nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec
}

func TestQuestionFromEnterToLastByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := tracertest.New(t)
		h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(300 * time.Millisecond)
			for range 3 {
				io.WriteString(w, "token")
				w.(http.Flusher).Flush()
				time.Sleep(100 * time.Millisecond)
			}
			time.Sleep(time.Second) // the server ends the body when the handler returns
		}), tracer.WithTracerProvider(rec.TracerProvider()), tracer.WithPipeline("docs-qa"))
		arrival := time.Now()
		serve(h, "Ragtrace-Enter", "20.5", "Ragtrace-Session", "enter-to-last-byte", "Ragtrace-Question", "7")

		root := only(t, rec, "question")
		want := map[string]any{
			"ragtrace.stage": "question", "ragtrace.inside_llm": false, "ragtrace.timing.source": "measured",
			"gen_ai.operation.name": "invoke_workflow", "gen_ai.agent.name": "docs-qa", "openinference.span.kind": "CHAIN",
			"ragtrace.question.number": int64(7), "session.id": "enter-to-last-byte", "gen_ai.conversation.id": "enter-to-last-byte",
			"http.request.method": "POST", "url.path": "/api/ask", "url.scheme": "http", "http.response.status_code": int64(200),
			"ragtrace.answer.streamed": true,
		}
		if diff := cmp.Diff(want, attrsOf(root)); diff != "" {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
		if root.Status().Code != codes.Unset || root.SpanKind() != trace.SpanKindServer {
			t.Errorf("status %v, kind %v; want unset, server", root.Status(), root.SpanKind())
		}
		span := func(s sdktrace.ReadOnlySpan) [2]time.Duration {
			return [2]time.Duration{s.StartTime().Sub(arrival), s.EndTime().Sub(arrival)}
		}
		got := map[string][2]time.Duration{
			"question": span(root), "enter": span(only(t, rec, "enter")), "answer": span(only(t, rec, "answer")),
		}
		wantSpans := map[string][2]time.Duration{
			"question": {-20500 * time.Microsecond, 1600 * time.Millisecond},
			"enter":    {-20500 * time.Microsecond, -time.Microsecond},
			"answer":   {300 * time.Millisecond, 500 * time.Millisecond},
		}
		if diff := cmp.Diff(wantSpans, got); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
	})
}

// A client that was told the length waits for nothing after it; one that got less waits.
func TestAnswerOfAnnouncedLength(t *testing.T) {
	for length, want := range map[string]time.Duration{"6": 0, "7": time.Second, "": time.Second} {
		synctest.Test(t, func(t *testing.T) {
			rec := tracertest.New(t)
			h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				io.WriteString(w, "answer")
				w.(http.Flusher).Flush()
				time.Sleep(time.Second)
			}), tracer.WithTracerProvider(rec.TracerProvider()))
			serve(h)
			if root := only(t, rec, "question"); root.EndTime().Sub(root.StartTime()) != want {
				t.Errorf("6 bytes of %q: the question took %v, want %v", length, root.EndTime().Sub(root.StartTime()), want)
			}
		})
	}
}

// A browser asks with OPTIONS whether a page of another origin may ask, before each question.
func TestPreflightIsNoQuestion(t *testing.T) {
	rec := tracertest.New(t)
	h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "http://localhost:3000")
		w.WriteHeader(http.StatusNoContent)
	}), tracer.WithTracerProvider(rec.TracerProvider()))
	req := httptest.NewRequest("OPTIONS", "/api/ask", nil)
	req.Header.Set("Access-Control-Request-Method", "POST")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("it is answered with status %d and %v, want the handler's answer", w.Code, w.Header())
	}
	if tree := rec.Tree(); tree != "" {
		t.Errorf("it makes spans:\n%s", tree)
	}
}

func TestAnswerNotStreamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := tracertest.New(t)
		h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "small")
			time.Sleep(time.Second) // the server holds the bytes until the handler returns
		}), tracer.WithTracerProvider(rec.TracerProvider()))
		arrival := time.Now()
		serve(h)
		root, answer := only(t, rec, "question"), only(t, rec, "answer")
		if v := tracertest.Value(root, attr.AnswerStreamed); v.AsBool() || v.Type() != attribute.BOOL {
			t.Errorf("streamed %v, want false", v)
		}
		if d := answer.StartTime().Sub(arrival); d != time.Second {
			t.Errorf("the answer starts after %v, want 1s", d)
		}
		if d := root.EndTime().Sub(arrival); d != time.Second {
			t.Errorf("the question ends after %v, want 1s", d)
		}
		if tracertest.Value(root, attr.SessionID).Type() != attribute.EMPTY {
			t.Error("a session was invented")
		}
	})
}

func TestBadHeaders(t *testing.T) {
	for _, c := range []struct {
		name    string
		headers []string
		flags   []string
		number  int64
	}{
		{"negative", []string{"Ragtrace-Enter", "-1"}, []string{"bad_enter"}, 0},
		{"not a number", []string{"Ragtrace-Enter", "NaN"}, []string{"bad_enter"}, 0},
		{"infinite", []string{"Ragtrace-Enter", "Inf"}, []string{"bad_enter"}, 0},
		{"words", []string{"Ragtrace-Enter", "soon"}, []string{"bad_enter"}, 0},
		{"longer than a day", []string{"Ragtrace-Enter", "86400001"}, []string{"bad_enter"}, 0},
		{"zero", []string{"Ragtrace-Enter", "0"}, nil, 0},
		{"number 0", []string{"Ragtrace-Session", "bad-number-0", "Ragtrace-Question", "0"}, []string{"bad_question"}, 1},
		{"number in words", []string{"Ragtrace-Session", "bad-number-1", "Ragtrace-Question", "two"}, []string{"bad_question"}, 1},
		{"long session", []string{"Ragtrace-Session", strings.Repeat("x", 257)}, []string{"bad_session"}, 0},
		{"binary session", []string{"Ragtrace-Session", "\xff"}, []string{"bad_session"}, 0},
		{"number without session", []string{"Ragtrace-Question", "3"}, nil, 0},
		{"two", []string{"Ragtrace-Enter", "x", "Ragtrace-Session", "\xff"}, []string{"bad_enter", "bad_session"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := tracertest.New(t)
			serve(tracer.Middleware(http.NotFoundHandler(), tracer.WithTracerProvider(rec.TracerProvider())), c.headers...)
			root := only(t, rec, "question")
			if diff := cmp.Diff(c.flags, tracertest.Value(root, attr.Flags).AsStringSlice()); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
			if n := tracertest.Value(root, attr.QuestionNumber).AsInt64(); n != c.number {
				t.Errorf("number %d, want %d", n, c.number)
			}
			if len(rec.Named("enter")) != 0 {
				t.Error("there is an enter span")
			}
		})
	}
}

func TestOutcomes(t *testing.T) {
	left, leave := context.WithCancel(context.Background())
	leave()
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for _, c := range []struct {
		name      string
		ctx       context.Context
		handler   http.HandlerFunc
		errorType string
	}{
		{"ok", nil, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") }, ""},
		{"nothing written", nil, func(w http.ResponseWriter, r *http.Request) {}, ""},
		{"redirect", nil, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(302) }, ""},
		{"500", nil, func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", 500) }, "500"},
		{"404", nil, http.NotFound, "404"},
		{"early hints", nil, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); w.WriteHeader(503) }, "503"},
		{"status twice", nil, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200); w.WriteHeader(500) }, ""},
		{"left before", left, func(w http.ResponseWriter, r *http.Request) {}, "canceled"},
		{"left during", left, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") }, "canceled"},
		{"deadline", late, func(w http.ResponseWriter, r *http.Request) {}, "timeout"},
		{"left, and the stage says so", left, func(w http.ResponseWriter, r *http.Request) {
			_, s := tracer.Stage(r.Context(), stages.LLM)
			s.End(fmt.Errorf("asking: %w", r.Context().Err()))
		}, "canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := tracertest.New(t)
			h := tracer.Middleware(c.handler, tracer.WithTracerProvider(rec.TracerProvider()))
			req := httptest.NewRequest("GET", "/", nil)
			if c.ctx != nil {
				req = req.WithContext(c.ctx)
			}
			h.ServeHTTP(httptest.NewRecorder(), req)
			root := only(t, rec, "question")
			if got := tracertest.Value(root, "error.type").AsString(); got != c.errorType {
				t.Errorf("error.type %q, want %q", got, c.errorType)
			}
			if failed := root.Status().Code == codes.Error; failed != (c.errorType != "") {
				t.Errorf("status %v", root.Status())
			}
		})
	}
}

// A client that closes its connection because it has everything has not cancelled.
func TestClientThatHasEverything(t *testing.T) {
	rec := tracertest.New(t)
	ctx, leave := context.WithCancel(context.Background())
	h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "data: [DONE]\n\n")
		w.(http.Flusher).Flush()
		leave()
	}), tracer.WithTracerProvider(rec.TracerProvider()))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	if s := only(t, rec, "question").Status(); s.Code != codes.Unset {
		t.Errorf("status %v, want unset", s)
	}
}

// A source that breaks off while it is copied to the client is not the client's doing.
func TestSourceThatBreaksOff(t *testing.T) {
	for _, c := range []struct {
		name      string
		abort     bool
		errorType string
	}{{"and the handler aborts", true, "aborted"}, {"and the handler returns", false, ""}} {
		t.Run(c.name, func(t *testing.T) {
			rec := tracertest.New(t)
			server := httptest.NewServer(tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := io.Copy(w, io.MultiReader(strings.NewReader("half an ans"), iotest.ErrReader(io.ErrUnexpectedEOF)))
				if err != io.ErrUnexpectedEOF {
					t.Errorf("copying says %v, want the source's error", err)
				}
				if c.abort {
					panic(http.ErrAbortHandler)
				}
			}), tracer.WithTracerProvider(rec.TracerProvider())))
			if resp, err := http.Get(server.URL); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			server.Close() // waits for the handler
			if got := tracertest.Value(only(t, rec, "question"), "error.type").AsString(); got != c.errorType {
				t.Errorf("error.type %q, want %q", got, c.errorType)
			}
		})
	}
}

func TestPanicPassesUnchanged(t *testing.T) {
	for _, c := range []struct {
		name      string
		value     any
		errorType string
	}{
		{"value", errors.New("boom"), "panic"},
		{"abort", http.ErrAbortHandler, "aborted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := tracertest.New(t)
			h := tracer.Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(c.value) }),
				tracer.WithTracerProvider(rec.TracerProvider()))
			func() {
				defer func() {
					if p := recover(); p != c.value {
						t.Errorf("recovered %v, want %v", p, c.value)
					}
				}()
				serve(h)
			}()
			if got := tracertest.Value(only(t, rec, "question"), "error.type").AsString(); got != c.errorType {
				t.Errorf("error.type %q, want %q", got, c.errorType)
			}
		})
	}
}

func TestNumbersUnderConcurrency(t *testing.T) {
	rec := tracertest.New(t)
	h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}),
		tracer.WithTracerProvider(rec.TracerProvider()))
	const n = 50
	var wg sync.WaitGroup
	for _, session := range []string{"concurrent-a", "concurrent-b"} {
		for range n {
			wg.Go(func() { serve(h, "Ragtrace-Session", session) })
		}
	}
	wg.Wait()
	seen := make(map[string]map[int64]bool)
	for _, s := range rec.Named("question") {
		session := tracertest.Value(s, attr.SessionID).AsString()
		if seen[session] == nil {
			seen[session] = make(map[int64]bool)
		}
		seen[session][tracertest.Value(s, attr.QuestionNumber).AsInt64()] = true
	}
	for _, session := range []string{"concurrent-a", "concurrent-b"} {
		for i := int64(1); i <= n; i++ {
			if !seen[session][i] {
				t.Errorf("session %s has no question %d", session, i)
			}
		}
	}
}

func TestSessionFromApplication(t *testing.T) {
	rec := tracertest.New(t)
	h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := tracer.QuestionFrom(r.Context())
		if q.Session() != "from-option" || q.Number() != 1 {
			t.Errorf("session %q number %d, want from-option 1", q.Session(), q.Number())
		}
		q.SetSession("from-body", 5)
		q.SetSession("from-body", 0) // keeps the number
		q.SetSession("", 9)          // keeps everything
		_, s := tracer.Stage(r.Context(), stages.Prompt)
		s.End(nil)
	}), tracer.WithTracerProvider(rec.TracerProvider()),
		tracer.WithSession(func(*http.Request) string { return "from-option" }))
	serve(h, "Ragtrace-Session", "from-header")
	for _, name := range []string{"question", "prompt"} {
		a := attrsOf(only(t, rec, name))
		if a["session.id"] != "from-body" || a["gen_ai.conversation.id"] != "from-body" || a["ragtrace.question.number"] != int64(5) {
			t.Errorf("%s has %v", name, a)
		}
	}
	// Counting goes on after a given number.
	_, q := tracer.Ask(t.Context(), "from-body", tracer.WithTracerProvider(rec.TracerProvider()))
	q.End(nil)
	if q.Number() != 6 {
		t.Errorf("the next number is %d, want 6", q.Number())
	}
}

func TestTraceContext(t *testing.T) {
	const parent = "00-0102030405060708090a0b0c0d0e0f10-1112131415161718-01"
	t.Run("remote parent", func(t *testing.T) {
		rec := tracertest.New(t)
		serve(tracer.Middleware(http.NotFoundHandler(), tracer.WithTracerProvider(rec.TracerProvider()), w3c), "Traceparent", parent)
		root := only(t, rec, "question")
		if got := root.Parent().SpanID().String(); got != "1112131415161718" || root.SpanKind() != trace.SpanKindServer {
			t.Errorf("parent %s kind %v, want 1112131415161718 server", got, root.SpanKind())
		}
	})
	t.Run("below a server span", func(t *testing.T) {
		rec := tracertest.New(t)
		framework := rec.TracerProvider().Tracer("framework")
		inner := tracer.Middleware(http.NotFoundHandler(), tracer.WithTracerProvider(rec.TracerProvider()), w3c)
		serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, span := framework.Start(r.Context(), "POST /api/ask", trace.WithSpanKind(trace.SpanKindServer))
			defer span.End()
			inner.ServeHTTP(w, r.WithContext(ctx))
		}), "Traceparent", parent)
		want := "POST /api/ask server\n└─ question error\n   └─ answer\n"
		if got := rec.Tree(); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
	const inQuestion = "ragtrace.question.number=4,session.id=s%201"
	t.Run("inside another service's question", func(t *testing.T) {
		rec := tracertest.New(t)
		mux := http.NewServeMux()
		mux.HandleFunc("POST /api/{what}", func(w http.ResponseWriter, r *http.Request) {
			_, s := tracer.Stage(r.Context(), stages.Prompt)
			s.End(nil)
		})
		serve(tracer.Middleware(mux, tracer.WithTracerProvider(rec.TracerProvider()), w3c), "Traceparent", parent, "Baggage", inQuestion)
		keys := []attribute.Key{attr.Stage, attr.SessionID, attr.QuestionNumber}
		want := "POST /api/{what} server session.id=s 1 ragtrace.question.number=4\n" +
			"└─ prompt ragtrace.stage=prompt session.id=s 1 ragtrace.question.number=4\n"
		if got := rec.Tree(keys...); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
	t.Run("gateway", func(t *testing.T) {
		rec := tracertest.New(t)
		serve(tracer.Gateway(http.NotFoundHandler(), tracer.WithTracerProvider(rec.TracerProvider()), w3c), "Traceparent", parent, "Baggage", inQuestion)
		want := "POST server ragtrace.stage=gateway session.id=s 1 ragtrace.question.number=4\n"
		if got := rec.Tree(attr.Stage, attr.SessionID, attr.QuestionNumber); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
	t.Run("twice in one process", func(t *testing.T) {
		rec := tracertest.New(t)
		opt := tracer.WithTracerProvider(rec.TracerProvider())
		serve(tracer.Middleware(tracer.Middleware(http.NotFoundHandler(), opt), opt))
		only(t, rec, "question")
	})
}

func TestOldNamesBesideNewOnes(t *testing.T) {
	t.Setenv("RAGTRACE_SEMCONV", "dup")
	rec := tracertest.New(t)
	_, q := tracer.Ask(t.Context(), "", tracer.WithTracerProvider(rec.TracerProvider()), tracer.WithPipeline("p"))
	q.End(nil)
	if a := attrsOf(only(t, rec, "question")); a["gen_ai.workflow.name"] != "p" || a["gen_ai.agent.name"] != "p" {
		t.Errorf("got %v", a)
	}
}
