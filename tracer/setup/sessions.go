package setup

import (
	"context"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// sessions puts session and number on every span of a question that other instrumentation makes. The tracer's own spans
// carry them already.
type sessions struct{}

// OnStart implements [sdktrace.SpanProcessor].
func (sessions) OnStart(parent context.Context, s sdktrace.ReadWriteSpan) {
	if s.InstrumentationScope().Name == tracer.ScopeName {
		return
	}
	if session, number, ok := tracer.SessionOf(parent); ok {
		s.SetAttributes(attr.QuestionNumber.Int(number), attr.SessionID.String(session), attr.ConversationID.String(session))
	}
}

// OnEnd implements [sdktrace.SpanProcessor].
func (sessions) OnEnd(sdktrace.ReadOnlySpan) {}

// Shutdown implements [sdktrace.SpanProcessor].
func (sessions) Shutdown(context.Context) error { return nil }

// ForceFlush implements [sdktrace.SpanProcessor].
func (sessions) ForceFlush(context.Context) error { return nil }
