// Package opentracing lets programs that are still instrumented with OpenTracing take part in the traces of package tracer:
// with their own github.com/uber/jaeger-client-go, or through OpenTelemetry's bridge.
//
// In come and out go HTTP headers and the spans of OpenTracing. The package imports package tracer, the OpenTelemetry API
// and its bridge, and jaeger-client-go, and neither an SDK nor gRPC; nothing else of the tracer imports OpenTracing.
//
// # Three steps
//
// Each step works by itself, and a program may stay at any of them for as long as it likes.
//
// First, join: the program keeps jaeger-client-go and where it sends its spans, and makes its tracer with [Options].
//
//	tracer, closer, err := cfg.NewTracer(opentracing.Options()...)
//
// It then understands and writes W3C trace context and baggage, so that its spans stand in the question's trace, with the
// question's session and number on them. Its stages are told by [Stage]:
//
//	span := tracer.StartSpan("rerank", ot.ChildOf(parent.Context()), opentracing.Stage(stages.Rerank))
//
// Second, bridge: jaeger-client-go's configuration is replaced by two lines. The program's OpenTracing calls stay as they
// are, and make spans of OpenTelemetry.
//
//	shutdown, err := setup.Start(ctx, "legacy-gateway") // package tracer/setup: SDK and OTLP exporter
//	err = opentracing.Bridge()
//
// Third, replace: tracer.Middleware or tracer.Gateway instead of the OpenTracing handler, tracer.Transport instead of its
// HTTP client, tracer.Stage instead of its spans, one at a time. When the last is gone, so is the line with the bridge.
//
// # What is read and written
//
// Everything that is sent carries both traceparent, with baggage, and jaeger-client-go's own uber-trace-id, so that
// neighbours of any age stay in the trace. On the way in, traceparent wins. A traceparent that cannot be read is an error,
// as an unreadable uber-trace-id is: the program begins a trace of its own.
//
// OpenTracing sends baggage, and with it the session, wherever it sends its trace. A program that calls a third party
// should call it without, or through tracer.Transport, which sends the session to hosts that are not public only.
package opentracing
