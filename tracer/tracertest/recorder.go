package tracertest

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// A Recorder keeps every span that its provider makes. It may be used by several goroutines.
type Recorder struct {
	spans    *tracetest.SpanRecorder
	provider *sdktrace.TracerProvider
}

// New makes a recorder that lives as long as the test. It samples everything.
func New(t testing.TB) *Recorder {
	r := &Recorder{spans: tracetest.NewSpanRecorder()}
	r.provider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.spans), sdktrace.WithSampler(sdktrace.AlwaysSample()))
	t.Cleanup(func() { _ = r.provider.Shutdown(context.Background()) })
	return r
}

// TracerProvider is what to give to tracer.WithTracerProvider.
func (r *Recorder) TracerProvider() trace.TracerProvider { return r.provider }

// Ended are the ended spans, in the order of their end.
func (r *Recorder) Ended() []sdktrace.ReadOnlySpan { return r.spans.Ended() }

// Open are the names of spans that were started and have not ended.
func (r *Recorder) Open() []string {
	ended := make(map[trace.SpanID]bool)
	for _, s := range r.spans.Ended() {
		ended[s.SpanContext().SpanID()] = true
	}
	var open []string
	for _, s := range r.spans.Started() {
		if !ended[s.SpanContext().SpanID()] {
			open = append(open, s.Name())
		}
	}
	return open
}

// Named are the ended spans with that name.
func (r *Recorder) Named(name string) []sdktrace.ReadOnlySpan {
	var named []sdktrace.ReadOnlySpan
	for _, s := range r.Ended() {
		if s.Name() == name {
			named = append(named, s)
		}
	}
	return named
}

// Reset forgets the spans so far.
func (r *Recorder) Reset() { r.spans.Reset() }

// Value is the value of a span's attribute; an invalid value when the span has none of that name.
func Value(s sdktrace.ReadOnlySpan, key attribute.Key) attribute.Value {
	for _, kv := range s.Attributes() {
		if kv.Key == key {
			return kv.Value
		}
	}
	return attribute.Value{}
}
