package setup

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/baggage"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"github.com/ragtrace/ragtrace/tracer"
)

// An exporterFunc exports by a function.
type exporterFunc func(context.Context, []sdktrace.ReadOnlySpan) error

func (f exporterFunc) ExportSpans(ctx context.Context, s []sdktrace.ReadOnlySpan) error {
	return f(ctx, s)
}
func (exporterFunc) Shutdown(context.Context) error { return nil }

// captureLog sends log lines to the returned builder, without their times.
func captureLog(t *testing.T) *strings.Builder {
	var b strings.Builder
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "total" {
			return slog.Attr{}
		}
		return a
	}})))
	t.Cleanup(func() { slog.SetDefault(old) })
	return &b
}

func spans(p *sdktrace.TracerProvider, n int) {
	for range n {
		_, s := p.Tracer("test").Start(context.Background(), "span")
		s.End()
	}
}

// A collector that hangs costs the spans that do not fit the queue, and each is counted.
func TestHangingCollector(t *testing.T) {
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "100")
	synctest.Test(t, func(t *testing.T) {
		log := captureLog(t)
		lost = losses{}
		q := newQueue(exporterFunc(func(ctx context.Context, _ []sdktrace.ReadOnlySpan) error {
			<-ctx.Done()
			return ctx.Err()
		}))
		p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(q))
		start := time.Now()
		spans(p, 130)
		if d := time.Since(start); d != 0 {
			t.Errorf("ending spans took %v", d)
		}
		if n := Lost(); n != 30 {
			t.Errorf("%d lost, want the 30 that did not fit", n)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		err := p.Shutdown(ctx)
		if d := time.Since(start); d < 3*time.Second || d > 3100*time.Millisecond {
			t.Errorf("shutdown took %v, want its context's 3s, and a moment for the export's error", d)
		}
		if want := "ragtrace setup: spans not sent: 100: context deadline exceeded"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if n := Lost(); n != 130 {
			t.Errorf("%d lost, want all 130", n)
		}
		spans(p, 1)
		synctest.Wait() // nothing goes on
		if want := "level=WARN msg=\"ragtrace: spans were lost\" spans=130 last_error=\"context deadline exceeded\"\n"; log.String() != want {
			t.Errorf("logged %s", log)
		}
	})
}

// A collector that refuses is reported once a minute.
func TestRefusingCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := captureLog(t)
		lost = losses{}
		q := newQueue(exporterFunc(func(context.Context, []sdktrace.ReadOnlySpan) error { return errors.New("refused") }))
		p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(q))
		for range 20 { // every 6 s
			spans(p, 2)
			time.Sleep(6 * time.Second)
		}
		err := p.Shutdown(context.Background())
		if err != nil { // nothing was waiting
			t.Errorf("error %v", err)
		}
		line := func(n string) string {
			return "level=WARN msg=\"ragtrace: spans were lost\" spans=" + n + " last_error=refused\n"
		}
		// Sent after 5 s, and every 6 s from there: the first report after 5 s, the next after 65 s, the rest at the end.
		if diff := cmp.Diff(line("2")+line("20")+line("18"), log.String()); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		if n := Lost(); n != 40 {
			t.Errorf("%d lost, want 40", n)
		}
	})
}

func TestSessionOnEverySpan(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(sessions{}), sdktrace.WithSyncer(spans))
	other := p.Tracer("other")
	want := map[string]any{"session.id": "s", "gen_ai.conversation.id": "s", "ragtrace.question.number": int64(1)}

	ctx, q := tracer.Ask(t.Context(), "s", tracer.WithTracerProvider(p))
	_, s := other.Start(ctx, "in the question")
	s.End()
	q.End(nil)
	b, _ := baggage.Parse("session.id=s,ragtrace.question.number=1")
	_, s = other.Start(baggage.ContextWithBaggage(t.Context(), b), "in another service")
	s.End()
	_, s = other.Start(t.Context(), "outside")
	s.End()
	for _, s := range spans.GetSpans() {
		got := make(map[string]any)
		for _, kv := range s.Attributes {
			if _, ok := want[string(kv.Key)]; ok {
				got[string(kv.Key)] = kv.Value.AsInterface()
			}
		}
		expect := want
		if s.Name == "outside" {
			expect = map[string]any{}
		}
		if diff := cmp.Diff(expect, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.Name, diff)
		}
	}
}

// A collector that keeps what it gets.
type memoryCollector struct {
	collector.UnimplementedTraceServiceServer
	mu  sync.Mutex
	got []*collector.ExportTraceServiceRequest
}

func (c *memoryCollector) Export(_ context.Context, r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, r)
	return &collector.ExportTraceServiceResponse{}, nil
}

func TestStartSendsOverGRPC(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &memoryCollector{}
	srv := grpc.NewServer()
	collector.RegisterTraceServiceServer(srv, c)
	go srv.Serve(ln)
	defer srv.Stop()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+ln.Addr().String())
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")

	shutdown, err := Start(t.Context(), "rag-app")
	if err != nil {
		t.Fatal(err)
	}
	_, q := tracer.Ask(t.Context(), "over-grpc")
	q.End(nil)
	if err := shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(c.got) != 1 {
		t.Fatalf("%d requests, want 1", len(c.got))
	}
	rs := c.got[0].ResourceSpans[0]
	resource := make(map[string]string)
	for _, kv := range rs.Resource.Attributes {
		resource[kv.Key] = kv.Value.GetStringValue()
	}
	if resource["service.name"] != "rag-app" || len(resource["service.instance.id"]) != 36 ||
		resource["ragtrace.semconv.version"] != "genai-0.1.0" || resource["deployment.environment.name"] != "test" {
		t.Errorf("resource %v", resource)
	}
	if s := rs.ScopeSpans[0].Spans[0]; s.Name != "question" {
		t.Errorf("span %s, want question", s.Name)
	}
	if f := slices.Sorted(slices.Values(otel.GetTextMapPropagator().Fields())); !cmp.Equal(f, []string{"baggage", "traceparent", "tracestate"}) {
		t.Errorf("propagators %v", f)
	}
}

// A question that waits for what its page painted is sent at the shutdown without.
func TestShutdownEndsWhatWaits(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	shutdown, err := Start(t.Context(), "x", WithExporter(kept{spans}))
	if err != nil {
		t.Fatal(err)
	}
	h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "answer") }))
	r := httptest.NewRequest("POST", "/ask", nil)
	r.Header.Set(tracer.HeaderPage, "00f067aa0ba902b7")
	h.ServeHTTP(httptest.NewRecorder(), r)
	if err := shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range spans.GetSpans() {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"answer", "question"}, names); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

// kept does not forget its spans at the shutdown.
type kept struct{ *tracetest.InMemoryExporter }

func (kept) Shutdown(context.Context) error { return nil }

func TestStartSettings(t *testing.T) {
	for _, c := range []struct{ name, value, err string }{
		{"OTEL_SDK_DISABLED", "true", ""},
		{"OTEL_TRACES_EXPORTER", "none", ""},
		{"OTEL_TRACES_EXPORTER", "zipkin", "ragtrace setup: OTEL_TRACES_EXPORTER=zipkin is not supported (use otlp or none)"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", "ragtrace setup: OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf is not supported (use grpc, and the collector's gRPC port, usually 4317)"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4317", "ragtrace setup: OTEL_EXPORTER_OTLP_ENDPOINT=127.0.0.1:4317 is not a URL (write it like http://127.0.0.1:4317)"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "localhost:4317", "ragtrace setup: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=localhost:4317 is not a URL (write it like http://127.0.0.1:4317)"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "collector", "ragtrace setup: OTEL_EXPORTER_OTLP_ENDPOINT=collector is not a URL (write it like http://127.0.0.1:4317)"},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			shutdown, err := Start(t.Context(), "x")
			if got := errorText(err); got != c.err {
				t.Errorf("error %q, want %q", got, c.err)
			}
			if err := shutdown(t.Context()); err != nil {
				t.Errorf("shutdown: %v", err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Nobody listens: the program goes on, and shutdown says what was lost.
func TestAbsentCollector(t *testing.T) {
	captureLog(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+addr)
	shutdown, err := Start(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	_, q := tracer.Ask(t.Context(), "", tracer.WithTracerProvider(otel.GetTracerProvider()))
	q.End(nil)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := shutdown(ctx); err == nil || !strings.HasPrefix(err.Error(), "ragtrace setup: spans not sent: 1: ") {
		t.Errorf("error %v, want that one span was not sent", err)
	} else if !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("error %v does not say why", err)
	}
}
