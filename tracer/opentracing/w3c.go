package opentracing

import (
	"context"
	"encoding/binary"
	"net/http"
	"strings"

	ot "github.com/opentracing/opentracing-go"
	"github.com/uber/jaeger-client-go"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const (
	traceparent = "Traceparent"
	tracestate  = "Tracestate"
)

// W3C reads and writes the headers of W3C trace context and baggage for a tracer of jaeger-client-go, beside the client's
// own under their usual names: those of config.Configuration.Headers are not heeded. The zero value is ready to use, with
// config.Injector and config.Extractor, for the formats HTTPHeaders and TextMap.
type W3C struct{}

var (
	_ jaeger.Injector  = W3C{}
	_ jaeger.Extractor = W3C{}
)

// client reads and writes uber-trace-id, uberctx-* and the client's other headers.
var client = jaeger.NewHTTPHeaderPropagator(new(jaeger.HeadersConfig).ApplyDefaults(), *jaeger.NewNullMetrics())

// A passed is what a trace context holds beyond a span context of jaeger-client-go. It is kept with the sampling state,
// which the client hands on from the extracted context to every span below it.
type passed struct {
	state trace.TraceState
	flags trace.TraceFlags // random only
}

type passedKey struct{}

// Inject implements [jaeger.Injector]. It writes traceparent, the tracestate that came with the trace, baggage of at most
// 64 members and 8192 bytes, session and number first, and the client's own headers. The carrier must be a
// [ot.TextMapWriter], else the error is [ot.ErrInvalidCarrier].
func (W3C) Inject(sc jaeger.SpanContext, carrier any) error {
	if err := client.Inject(sc, carrier); err != nil {
		return err
	}
	w := carrier.(ot.TextMapWriter)
	if b := baggageHeader(sc); b != "" {
		w.Set("baggage", b)
	}
	if !sc.IsValid() {
		return nil
	}
	more := sc.ExtendedSamplingState(passedKey{}, func() any { return passed{} }).(passed)
	if h, ok := carrier.(ot.HTTPHeadersCarrier); ok && more.state.Len() == 0 {
		http.Header(h).Del(tracestate) // a proxy's request still has that of another trace
	}
	c := trace.SpanContextConfig{TraceFlags: more.flags.WithSampled(sc.IsSampled()), TraceState: more.state}
	binary.BigEndian.PutUint64(c.TraceID[:8], sc.TraceID().High)
	binary.BigEndian.PutUint64(c.TraceID[8:], sc.TraceID().Low)
	binary.BigEndian.PutUint64(c.SpanID[:], uint64(sc.SpanID()))
	ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(c))
	propagation.TraceContext{}.Inject(ctx, writer{w})
	return nil
}

// Extract implements [jaeger.Extractor]. Without a traceparent it reads the client's own headers, with the W3C baggage
// added; when there is nothing at all, the error is [ot.ErrSpanContextNotFound]. A traceparent that is malformed, or is
// there twice, is [ot.ErrSpanContextCorrupted]. Baggage that is malformed or beyond the limits is left out, member by
// member, and so is a malformed tracestate as a whole. The carrier must be a [ot.TextMapReader], else the error is
// [ot.ErrInvalidCarrier].
func (W3C) Extract(carrier any) (jaeger.SpanContext, error) {
	r, ok := carrier.(ot.TextMapReader)
	if !ok {
		return jaeger.SpanContext{}, ot.ErrInvalidCarrier
	}
	h, err := headersOf(r)
	if err != nil {
		return jaeger.SpanContext{}, err
	}
	items := baggageItems(h)
	switch len(h[traceparent]) {
	case 0:
		return client.Extract(withItems{r, items})
	case 1:
	default:
		return jaeger.SpanContext{}, ot.ErrSpanContextCorrupted
	}
	parent := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(h)))
	if !parent.IsValid() {
		return jaeger.SpanContext{}, ot.ErrSpanContextCorrupted
	}
	trace, span := parent.TraceID(), parent.SpanID()
	id := jaeger.TraceID{High: binary.BigEndian.Uint64(trace[:8]), Low: binary.BigEndian.Uint64(trace[8:])}
	sc := jaeger.NewSpanContext(id, jaeger.SpanID(binary.BigEndian.Uint64(span[:])), 0, parent.IsSampled(), items)
	more := passed{parent.TraceState(), parent.TraceFlags().WithSampled(false)}
	sc.ExtendedSamplingState(passedKey{}, func() any { return more })
	return sc, nil
}

// headersOf are the W3C headers of a carrier, whose keys may be in any case.
func headersOf(r ot.TextMapReader) (http.Header, error) {
	h := make(http.Header)
	err := r.ForeachKey(func(key, value string) error {
		switch key := http.CanonicalHeaderKey(key); key {
		case traceparent, tracestate, baggageKey:
			h[key] = append(h[key], value)
		}
		return nil
	})
	if len(h[tracestate]) > 1 { // one list in several headers
		h[tracestate] = []string{strings.Join(h[tracestate], ",")}
	}
	return h, err
}

// A writer is a carrier of OpenTracing as OpenTelemetry's propagators write to it.
type writer struct{ ot.TextMapWriter }

// Get implements [propagation.TextMapCarrier]. There is nothing to read.
func (writer) Get(string) string { return "" }

// Keys implements [propagation.TextMapCarrier].
func (writer) Keys() []string { return nil }
