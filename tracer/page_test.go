package tracer_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

const (
	pageID    = "00f067aa0ba902b7"
	pageTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
)

// fromPage are the headers of a question asked in a page 300 ms after Enter.
func fromPage(id string) []string {
	return []string{"Ragtrace-Enter", "300", "Ragtrace-Page", id, "Traceparent", "00-" + pageTrace + "-" + id + "-01"}
}

// streaming answers with a first piece after 100 ms and a last one after 500 ms.
func streaming(w http.ResponseWriter, _ *http.Request) {
	for _, wait := range []time.Duration{100, 400} {
		time.Sleep(wait * time.Millisecond)
		io.WriteString(w, "piece")
		w.(http.Flusher).Flush()
	}
}

// report sends a beacon as the page does, and returns the status.
func report(h http.Handler, body string, headers ...string) int {
	req := httptest.NewRequest("POST", tracer.PathPaint, strings.NewReader(body))
	req.Header.Set("Origin", "http://"+req.Host)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec.Code
}

// saw is the report of a page that got the answer above 10 ms late, and painted each piece 40 and 200 ms after.
func saw(id string) string {
	return fmt.Sprintf(`{"page":%q,"first_byte_ms":110,"first_paint_ms":150,"last_byte_ms":510,"last_paint_ms":710.5}`, id)
}

func startPage(t *testing.T) (*tracertest.Recorder, http.Handler) { return startPageOf(t, streaming) }

// startPageOf waits at the test's end until every page is forgotten.
func startPageOf(t *testing.T, h http.HandlerFunc) (*tracertest.Recorder, http.Handler) {
	rec := tracertest.New(t)
	t.Cleanup(func() { time.Sleep(11 * time.Second) })
	return rec, tracer.Middleware(h, tracer.WithTracerProvider(rec.TracerProvider()), w3c)
}

func TestQuestionFromEnterToLastPaint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, h := startPage(t)
		arrival := time.Now()
		serve(h, append(fromPage(pageID), "Ragtrace-Session", "painted", "Ragtrace-Question", "2")...)
		if len(rec.Named("question")) != 0 {
			t.Fatal("the question ended before its page reported")
		}
		time.Sleep(time.Second)
		if status := report(h, saw(pageID)); status != http.StatusNoContent {
			t.Errorf("the report was answered %d", status)
		}
		span := func(name string) [2]time.Duration {
			s := only(t, rec, name)
			return [2]time.Duration{s.StartTime().Sub(arrival), s.EndTime().Sub(arrival)}
		}
		got := map[string][2]time.Duration{"question": span("question"), "enter": span("enter"), "answer": span("answer"), "paint": span("paint")}
		const ms = time.Millisecond
		want := map[string][2]time.Duration{
			"question": {-300 * ms, 710*ms + 500*time.Microsecond},
			"enter":    {-300 * ms, -time.Microsecond},
			"answer":   {100 * ms, 500 * ms},
			"paint":    {500*ms + time.Microsecond, 710*ms + 500*time.Microsecond},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
		root := only(t, rec, "question")
		for key, want := range map[string]float64{
			"ragtrace.user.time_to_first_byte": 0.41, "ragtrace.user.time_to_first_paint": 0.45, "ragtrace.user.time_to_last_byte": 0.81,
		} {
			if got := attrsOf(root)[key]; got != want {
				t.Errorf("%s is %v, want %v", key, got, want)
			}
		}
		wantPaint := map[string]any{
			"ragtrace.stage": "answer", "ragtrace.inside_llm": false, "ragtrace.timing.source": "derived", "openinference.span.kind": "CHAIN",
			"ragtrace.question.number": int64(2), "session.id": "painted", "gen_ai.conversation.id": "painted",
		}
		if diff := cmp.Diff(wantPaint, attrsOf(only(t, rec, "paint"))); diff != "" {
			t.Errorf("paint (-want +got):\n%s", diff)
		}
		// The page's trace goes on, but the page's span exists nowhere.
		if id := root.SpanContext().TraceID().String(); id != pageTrace || root.Parent().SpanID().IsValid() {
			t.Errorf("trace %s below %s, want %s below nothing", id, root.Parent().SpanID(), pageTrace)
		}
	})
}

func TestReports(t *testing.T) {
	const unpainted = 500 * time.Millisecond // the end when nothing was reported
	for _, c := range []struct {
		name   string
		id     string
		report string
		after  time.Duration // of the answer's end
		header []string
		status int
		end    time.Duration // of the question, from the arrival
		flags  []string
	}{
		{"none", "0000000000000001", "", 0, nil, 0, unpainted, []string{"no_paint"}},
		{"in the last moment", "0000000000000002", saw("0000000000000002"), 9999 * time.Millisecond, nil, 204, 710500 * time.Microsecond, nil},
		{"too late", "0000000000000003", saw("0000000000000003"), 10001 * time.Millisecond, nil, 204, unpainted, []string{"no_paint"}},
		{"another question's", "0000000000000004", saw("ffffffffffffffff"), time.Second, nil, 204, unpainted, []string{"no_paint"}},
		{"bytes only", "0000000000000005", `{"page":"0000000000000005","last_byte_ms":520}`, time.Second, nil, 204, 520 * time.Millisecond, nil},
		{"nothing known", "0000000000000006", `{"page":"0000000000000006"}`, time.Second, nil, 204, unpainted, []string{"no_paint"}},
		{"painted before the last byte", "0000000000000007", `{"page":"0000000000000007","last_paint_ms":499}`, time.Second, nil, 204, unpainted, nil},
		{"painted in the future", "0000000000000008", `{"page":"0000000000000008","last_paint_ms":9000}`, time.Second, nil, 204, unpainted, []string{"bad_paint"}},
		{"foreign origin", "0000000000000009", saw("0000000000000009"), time.Second, []string{"Origin", "https://elsewhere.example"}, 403, unpainted, []string{"no_paint"}},
		{"another site", "000000000000000a", saw("000000000000000a"), time.Second, []string{"Sec-Fetch-Site", "cross-site"}, 403, unpainted, []string{"no_paint"}},
		{"a subdomain", "000000000000000b", saw("000000000000000b"), time.Second, []string{"Sec-Fetch-Site", "same-site"}, 403, unpainted, []string{"no_paint"}},
		{"behind a proxy that renames the host", "000000000000000c", saw("000000000000000c"), time.Second,
			[]string{"Origin", "https://app.example", "Sec-Fetch-Site", "same-origin"}, 204, 710500 * time.Microsecond, nil},
		{"of 1024 bytes", "000000000000000d", saw("000000000000000d") + strings.Repeat(" ", 1024-len(saw(pageID))), time.Second, nil, 204, 710500 * time.Microsecond, nil},
		{"of 1025 bytes", "000000000000000e", saw("000000000000000e") + strings.Repeat(" ", 1025-len(saw(pageID))), time.Second, nil, 413, unpainted, []string{"no_paint"}},
		{"no JSON", "000000000000000f", "last_paint_ms=710", time.Second, nil, 400, unpainted, []string{"no_paint"}},
		{"negative", "0000000000000010", `{"page":"0000000000000010","last_paint_ms":-1}`, time.Second, nil, 400, unpainted, []string{"no_paint"}},
		{"longer than a day", "0000000000000011", `{"page":"0000000000000011","last_paint_ms":86400001}`, time.Second, nil, 400, unpainted, []string{"no_paint"}},
		{"first after last", "0000000000000012", `{"page":"0000000000000012","first_paint_ms":600,"last_paint_ms":500}`, time.Second, nil, 400, unpainted, []string{"no_paint"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec, h := startPage(t)
				arrival := time.Now()
				serve(h, fromPage(c.id)...)
				if c.report != "" {
					time.Sleep(c.after)
					if status := report(h, c.report, c.header...); status != c.status {
						t.Errorf("answered %d, want %d", status, c.status)
					}
				}
				time.Sleep(10 * time.Second)
				synctest.Wait()
				root := only(t, rec, "question")
				if end := root.EndTime().Sub(arrival); end != c.end {
					t.Errorf("the question ends after %v, want %v", end, c.end)
				}
				if diff := cmp.Diff(c.flags, tracertest.Value(root, attr.Flags).AsStringSlice()); diff != "" {
					t.Errorf("flags (-want +got):\n%s", diff)
				}
				if open := rec.Open(); len(open) > 0 {
					t.Errorf("open: %v", open)
				}
			})
		})
	}
}

func TestFirstReportCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, h := startPage(t)
		arrival := time.Now()
		serve(h, fromPage(pageID)...)
		time.Sleep(2 * time.Second)
		report(h, saw(pageID))
		report(h, `{"page":"`+pageID+`","last_paint_ms":1500}`)
		if end := only(t, rec, "question").EndTime().Sub(arrival); end != 710500*time.Microsecond {
			t.Errorf("the question ends after %v, want 710.5ms", end)
		}
	})
}

// The page may have everything before the handler is done.
func TestReportBeforeTheHandlerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, h := startPageOf(t, func(w http.ResponseWriter, r *http.Request) {
			streaming(w, r)
			time.Sleep(20 * time.Second)
		})
		arrival := time.Now()
		go func() {
			time.Sleep(2 * time.Second)
			report(h, saw(pageID))
			report(h, `{"page":"`+pageID+`","last_paint_ms":1500}`)
		}()
		serve(h, fromPage(pageID)...)
		if end := only(t, rec, "question").EndTime().Sub(arrival); end != 710500*time.Microsecond {
			t.Errorf("the question ends after %v, want 710.5ms", end)
		}
	})
}

// Whoever is told that it failed paints no answer.
func TestFailedAnswersAreNotWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		gone    bool
	}{
		"refused":     {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusServiceUnavailable) }, false},
		"empty":       {func(http.ResponseWriter, *http.Request) {}, false},
		"client left": {streaming, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec, h := startPageOf(t, c.handler)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				if c.gone {
					leave()
				}
				req := httptest.NewRequest("POST", "/ask", nil).WithContext(ctx)
				req.Header.Set("Ragtrace-Page", pageID)
				h.ServeHTTP(httptest.NewRecorder(), req)
				root := only(t, rec, "question")
				if v := tracertest.Value(root, attr.Flags).AsStringSlice(); len(v) != 0 {
					t.Errorf("flags %v", v)
				}
				report(h, saw(pageID))
			})
		})
	}
}

func TestEventStreamFromAPage(t *testing.T) {
	ask := func(h http.Handler, method, query, accept string) {
		req := httptest.NewRequest(method, "/ask?q=why&"+query, nil)
		req.Header.Set("Accept", accept)
		h.ServeHTTP(httptest.NewRecorder(), req)
	}
	const query = "traceparent=00-" + pageTrace + "-" + pageID + "-01&ragtrace-page=" + pageID + "&ragtrace-enter=300&ragtrace-session=stream"
	synctest.Test(t, func(t *testing.T) {
		rec, h := startPage(t)
		arrival := time.Now()
		ask(h, "GET", query, "text/event-stream")
		// The stream breaks off, and the browser asks again.
		ask(h, "GET", query, "text/event-stream")
		again := only(t, rec, "question")
		if d := again.EndTime().Sub(again.StartTime()); d != 500*time.Millisecond {
			t.Errorf("asked again, the question takes %v, want 500ms", d)
		}
		rec.Reset()
		report(h, saw(pageID))
		root := only(t, rec, "question")
		if start, end := root.StartTime().Sub(arrival), root.EndTime().Sub(arrival); start != -300*time.Millisecond || end != 710500*time.Microsecond {
			t.Errorf("the question runs from %v to %v, want -300ms to 710.5ms", start, end)
		}
		if a := attrsOf(root); a["session.id"] != "stream" || a["url.path"] != "/ask" || root.SpanContext().TraceID().String() != pageTrace {
			t.Errorf("trace %s, %v", root.SpanContext().TraceID(), a)
		}
	})
	for name, c := range map[string][2]string{"POST": {"POST", "text/event-stream"}, "no event stream": {"GET", "*/*"}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec, h := startPage(t)
				ask(h, c[0], query, c[1])
				root := only(t, rec, "question")
				if tracertest.Value(root, attr.SessionID).AsString() != "" || root.EndTime().Sub(root.StartTime()) != 500*time.Millisecond {
					t.Errorf("the parameters were taken for headers: %v", attrsOf(root))
				}
			})
		})
	}
}

// A gateway that traces stands between: its span is the parent.
func TestPageBehindATracedGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, h := startPage(t)
		serve(h, "Ragtrace-Page", pageID, "Traceparent", "00-"+pageTrace+"-1112131415161718-01")
		report(h, `{"page":"`+pageID+`","last_paint_ms":500}`)
		if got := only(t, rec, "question").Parent().SpanID().String(); got != "1112131415161718" {
			t.Errorf("parent %s", got)
		}
	})
}

// The process's own sampler decides, by the page's trace id, and not the page. What is not recorded is not waited for.
func TestPageIsSampledByTheServer(t *testing.T) {
	for ratio, want := range map[float64]int{0: 0, 1: 1} {
		synctest.Test(t, func(t *testing.T) {
			t.Cleanup(func() { time.Sleep(11 * time.Second) })
			spans := 0
			p := sdktrace.NewTracerProvider(
				sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio))),
				sdktrace.WithSpanProcessor(onEnd(func(s sdktrace.ReadOnlySpan) {
					if s.Name() == "question" {
						spans++
					}
				})))
			var inner trace.SpanContext
			h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inner = trace.SpanContextFromContext(r.Context())
				streaming(w, r)
			}), tracer.WithTracerProvider(p), w3c)
			serve(h, fromPage(pageID)...)
			if spans != 0 {
				t.Errorf("ratio %v: ended before the report", ratio)
			}
			time.Sleep(time.Second)
			if status := report(h, saw(pageID)); status != 204 || spans != want {
				t.Errorf("ratio %v: answered %d, %d questions recorded, want 204 and %d", ratio, status, spans, want)
			}
			if inner.TraceID().String() != pageTrace || inner.IsSampled() != (want == 1) {
				t.Errorf("ratio %v: %v", ratio, inner)
			}
		})
	}
}

// onEnd is a processor that only looks at ended spans.
type onEnd func(sdktrace.ReadOnlySpan)

func (onEnd) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (f onEnd) OnEnd(s sdktrace.ReadOnlySpan)                 { f(s) }
func (onEnd) Shutdown(context.Context) error                  { return nil }
func (onEnd) ForceFlush(context.Context) error                { return nil }

// However many announce themselves, at most 1024 are waited for, and only for their time.
func TestFloodOfPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, h := startPageOf(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") })
		for i := range 3000 {
			serve(h, fromPage(fmt.Sprintf("%016x", i+1))...)
		}
		if n := len(rec.Named("question")); n != 3000-1024 {
			t.Errorf("%d ended at once, want %d", n, 3000-1024)
		}
		if v := tracertest.Value(rec.Named("question")[0], attr.Flags).AsStringSlice(); !cmp.Equal(v, []string{"no_paint"}) {
			t.Errorf("flags %v, want no_paint", v)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := len(rec.Named("question")); n != 3000 {
			t.Errorf("%d ended after 10s, want all 3000", n)
		}
		serve(h, fromPage(pageID)...)
		if n := len(rec.Named("question")); n != 3000 {
			t.Error("nothing is waited for after a flood")
		}
	})
}

func TestFlushEndsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, h := startPage(t)
		serve(h, fromPage(pageID)...)
		tracer.Flush()
		tracer.Flush()
		root := only(t, rec, "question")
		if v := tracertest.Value(root, attr.Flags).AsStringSlice(); !cmp.Equal(v, []string{"no_paint"}) {
			t.Errorf("flags %v, want no_paint", v)
		}
		report(h, saw(pageID))
		only(t, rec, "question")
	})
}

// What lies below the tracer's own path is no question, be the whole server wrapped.
func TestOwnPathIsNoQuestion(t *testing.T) {
	rec := tracertest.New(t)
	h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }),
		tracer.WithTracerProvider(rec.TracerProvider()))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/.ragtrace/enter.js", nil))
	if w.Body.String() != "/.ragtrace/enter.js" {
		t.Errorf("answered %q", w.Body)
	}
	w = httptest.NewRecorder()
	tracer.PaintHandler().ServeHTTP(w, httptest.NewRequest("GET", tracer.PathPaint, nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET was answered %d", w.Code)
	}
	if n := len(rec.Ended()); n != 0 {
		t.Errorf("%d spans", n)
	}
}

// Identifiers that are none announce nothing.
func TestBadPages(t *testing.T) {
	for _, id := range []string{"0000000000000000", "00F067AA0BA902B7", "00f067aa0ba902b", "00f067aa0ba902b70", "<script>"} {
		synctest.Test(t, func(t *testing.T) {
			rec, h := startPage(t)
			serve(h, "Ragtrace-Page", id)
			only(t, rec, "question")
		})
	}
}

func FuzzPaint(f *testing.F) {
	f.Add(saw(pageID))
	f.Add(`{"page":7}`)
	f.Add(`{"last_paint_ms":1e999}`)
	f.Fuzz(func(t *testing.T, body string) {
		switch status := report(tracer.PaintHandler(), body); status {
		case 204, 400, 413:
		default:
			t.Errorf("answered %d", status)
		}
	})
}
