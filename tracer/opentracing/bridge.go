package opentracing

import (
	"context"
	"errors"
	"reflect"

	ot "github.com/opentracing/opentracing-go"
	bridge "go.opentelemetry.io/otel/bridge/opentracing"

	"go.opentelemetry.io/contrib/propagators/jaeger"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// ScopeName is the name of the instrumentation scope of spans that come over the bridge.
const ScopeName = "github.com/ragtrace/ragtrace/tracer/opentracing"

// Bridge makes OpenTracing's global tracer one that makes spans of OpenTelemetry's global tracer provider. A span of either
// can be below one of the other. The global propagators become W3C trace context and baggage, and uber-trace-id; of two
// trace contexts that come in, W3C's counts.
//
// Spans carry the session and number of the question when their baggage has them, and when they are put into a context of
// the question, as opentracing.StartSpanFromContext does. What OpenTracing sends has them when they came as baggage; from a
// question that was opened in this process only tracer.Transport sends them.
//
// Call it once, after setup.Start and before the first span. The error says that there is no tracer provider, since
// setup.Start was not called or is told by the environment to do nothing; nothing is changed then, and the program may go
// on without spans. Another call changes nothing.
func Bridge() error {
	p := otel.GetTracerProvider()
	if _, done := p.(*bridge.TracerProvider); done {
		return nil
	}
	if unset(p) {
		return errors.New("opentracing bridge: no tracer provider is set, so no span would go anywhere (call setup.Start first)")
	}
	tracer, provider := bridged(p)
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagators)
	ot.SetGlobalTracer(tracer)
	return nil
}

// propagators read the last that is there, so W3C's come last.
var propagators = propagation.NewCompositeTextMapPropagator(jaeger.Jaeger{}, propagation.TraceContext{}, propagation.Baggage{})

// unset reports whether p is the API's own provider, which passes on to the one that is set later. Set to something that
// passes on to it in turn, it would call itself for ever.
func unset(p trace.TracerProvider) bool {
	t := reflect.TypeOf(p)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "go.opentelemetry.io/otel/internal/global"
}

// bridged makes the two that belong together: a tracer of OpenTracing, and a provider of OpenTelemetry whose spans it sees.
func bridged(p trace.TracerProvider) (ot.Tracer, trace.TracerProvider) {
	b := bridge.NewBridgeTracer()
	b.SetOpenTelemetryTracer(contextTracer{bridge.NewWrapperTracer(b, p.Tracer(ScopeName))})
	b.SetTextMapPropagator(propagators)
	return baggageTracer{b}, bridge.NewTracerProvider(b, p)
}

// A baggageTracer puts session and number on spans that have them in their baggage.
type baggageTracer struct{ *bridge.BridgeTracer }

// StartSpan implements [ot.Tracer].
func (t baggageTracer) StartSpan(name string, opts ...ot.StartSpanOption) ot.Span {
	span := t.BridgeTracer.StartSpan(name, opts...)
	tagSession(span)
	return span
}

// A contextTracer puts session and number on spans of OpenTracing that are put into a question's context: OpenTracing
// starts spans without one.
type contextTracer struct{ *bridge.WrapperTracer }

// DeferredContextSetupHook is called by the bridge when a span is put into a context.
func (t contextTracer) DeferredContextSetupHook(ctx context.Context, span trace.Span) context.Context {
	span.SetAttributes(sessionAttrs(ctx)...)
	return t.WrapperTracer.DeferredContextSetupHook(ctx, span)
}
