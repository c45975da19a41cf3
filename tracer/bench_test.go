package tracer_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer"
)

// Benchmarks come in pairs: bare or written by hand, and traced. TestAllocations asserts what is steady of them.

// sdk is a provider that builds and ends spans and sends them nowhere.
func sdk() *sdktrace.TracerProvider {
	return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(discard{}))
}

type discard struct{}

func (discard) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (discard) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (discard) Shutdown(context.Context) error                  { return nil }
func (discard) ForceFlush(context.Context) error                { return nil }

var eleven = []stages.Stage{stages.Prepare, stages.Embed, stages.EmbedLoad, stages.Search, stages.SearchServer, stages.Rerank,
	stages.RerankServer, stages.Prompt, stages.LLM, stages.LLMPrefill, stages.LLMDecode}

// questionByHand is a question of 12 spans with the SDK alone.
func questionByHand(p *sdktrace.TracerProvider) {
	t := p.Tracer("app", trace.WithInstrumentationVersion("1"))
	ctx, root := t.Start(context.Background(), "question", trace.WithAttributes(
		attribute.String("ragtrace.stage", "question"),
		attribute.Bool("ragtrace.inside_llm", false),
		attribute.String("ragtrace.timing.source", "measured"),
		attribute.String("gen_ai.operation.name", "invoke_workflow"),
		attribute.String("openinference.span.kind", "CHAIN"),
		attribute.Int("ragtrace.question.number", 1),
		attribute.String("session.id", "s"),
		attribute.String("gen_ai.conversation.id", "s"),
	))
	for _, stage := range eleven {
		_, s := t.Start(ctx, string(stage), trace.WithAttributes(
			attribute.String("ragtrace.stage", string(stage)),
			attribute.Bool("ragtrace.inside_llm", stage.InsideLLM()),
			attribute.String("ragtrace.timing.source", "measured"),
			attribute.String("openinference.span.kind", "CHAIN"),
			attribute.Int("ragtrace.question.number", 1),
			attribute.String("session.id", "s"),
			attribute.String("gen_ai.conversation.id", "s"),
		))
		s.End()
	}
	root.End()
}

func question(opt tracer.Option) {
	ctx, q := tracer.Ask(context.Background(), "s", opt)
	for _, stage := range eleven {
		_, s := tracer.Stage(ctx, stage)
		s.End(nil)
	}
	q.End(nil)
}

func BenchmarkQuestion(b *testing.B) {
	p := sdk()
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			questionByHand(p)
		}
	})
	b.Run("tracer", func(b *testing.B) {
		opt := tracer.WithTracerProvider(p)
		b.ReportAllocs()
		for b.Loop() {
			question(opt)
		}
	})
}

// A nullWriter costs nothing and has what net/http's writer has.
type nullWriter struct{ h http.Header }

func (w *nullWriter) Header() http.Header                 { return w.h }
func (w *nullWriter) Write(p []byte) (int, error)         { return len(p), nil }
func (w *nullWriter) WriteString(s string) (int, error)   { return len(s), nil }
func (w *nullWriter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(io.Discard, r) }
func (w *nullWriter) WriteHeader(int)                     {}
func (w *nullWriter) Flush()                              {}
func (w *nullWriter) FlushError() error                   { return nil }
func (w *nullWriter) CloseNotify() <-chan bool            { return nil }
func (w *nullWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, http.ErrNotSupported
}

var okHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })

// handlers are the bare one, otelhttp's and ours.
func handlers() map[string]http.Handler {
	p := sdk()
	return map[string]http.Handler{
		"bare":     okHandler,
		"otelhttp": otelhttp.NewHandler(okHandler, "op", otelhttp.WithTracerProvider(p), otelhttp.WithPropagators(propagation.TraceContext{})),
		"tracer":   tracer.Middleware(okHandler, tracer.WithTracerProvider(p), tracer.WithPropagators(propagation.TraceContext{})),
	}
}

func BenchmarkMiddleware(b *testing.B) {
	for name, h := range handlers() {
		b.Run(name, func(b *testing.B) {
			w, r := &nullWriter{http.Header{}}, httptest.NewRequest("POST", "/api/ask", nil)
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
}

// canned answers every request with the same JSON.
func canned(body string) roundTripFunc {
	header := http.Header{"Content-Type": {"application/json"}}
	return func(r *http.Request) (*http.Response, error) {
		t := httptrace.ContextClientTrace(r.Context())
		if t != nil && t.GotConn != nil { // as net/http does with a connection that lay idle
			t.GotConn(httptrace.GotConnInfo{Reused: true, WasIdle: true})
			t.WroteHeaders()
		}
		if r.Body != nil {
			r.Body.Read(discardBuffer)
			r.Body.Close()
		}
		if t != nil && t.GotConn != nil {
			t.WroteRequest(httptrace.WroteRequestInfo{})
		}
		return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

const embedAnswer = `{"model":"nomic","embeddings":[[0.1,0.2,0.3]],"total_duration":20000000,"load_duration":5000000,"prompt_eval_count":2}`

func transports(base http.RoundTripper) map[string]http.RoundTripper {
	p := sdk()
	return map[string]http.RoundTripper{
		"bare":     base,
		"otelhttp": otelhttp.NewTransport(base, otelhttp.WithTracerProvider(p), otelhttp.WithPropagators(propagation.TraceContext{})),
		"tracer":   tracer.Transport(base, tracer.WithTracerProvider(p), tracer.WithPropagators(propagation.TraceContext{})),
	}
}

var discardBuffer = make([]byte, 4096)

func exchange(rt http.RoundTripper, url string, body []byte) {
	req, _ := http.NewRequest("POST", url, bytes.NewReader(body))
	resp, err := rt.RoundTrip(req)
	if err != nil {
		panic(err)
	}
	for err == nil {
		_, err = resp.Body.Read(discardBuffer)
	}
	resp.Body.Close()
}

func BenchmarkTransport(b *testing.B) {
	for _, c := range []struct{ name, url, body string }{
		{"json", "http://tools:80/api/tool", `{"x":1}`},
		{"embed", "http://ollama:11434/api/embed", `{"model":"nomic","input":"why?"}`},
	} {
		for name, rt := range transports(canned(embedAnswer)) {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					exchange(rt, c.url, []byte(c.body))
				}
			})
		}
	}
}

// BenchmarkStream reads one chunk of an endless stream.
func BenchmarkStream(b *testing.B) {
	for name, rt := range transports(endless()) {
		b.Run(name, func(b *testing.B) {
			body := openStream(rt)
			defer body.Close()
			b.ReportAllocs()
			for b.Loop() {
				body.Read(discardBuffer)
			}
		})
	}
}

// endless streams the same line for ever, one a read.
func endless() roundTripFunc {
	line := []byte(`{"model":"m","created_at":"2026-01-01T00:00:00.5Z","message":{"role":"assistant","content":"word"},"done":false}` + "\n")
	header := http.Header{"Content-Type": {"application/x-ndjson"}}
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: header, Body: lineBody{line}}, nil
	}
}

type lineBody struct{ line []byte }

func (b lineBody) Read(p []byte) (int, error) { return copy(p, b.line), nil }
func (b lineBody) Close() error               { return nil }

func openStream(rt http.RoundTripper) io.ReadCloser {
	req, _ := http.NewRequest("POST", "http://ollama/api/chat", strings.NewReader(`{"model":"m","messages":[{}]}`))
	resp, err := rt.RoundTrip(req)
	if err != nil {
		panic(err)
	}
	return resp.Body
}
