package opentracing

import (
	"context"

	ot "github.com/opentracing/opentracing-go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// tagSession puts the session and number of a span's baggage on the span, when they are there and can be used.
func tagSession(span ot.Span) {
	session, number := span.BaggageItem(string(attr.SessionID)), span.BaggageItem(string(attr.QuestionNumber))
	if session == "" || number == "" {
		return
	}
	s, err1 := baggage.NewMemberRaw(string(attr.SessionID), session)
	n, err2 := baggage.NewMemberRaw(string(attr.QuestionNumber), number)
	if err1 != nil || err2 != nil {
		return
	}
	b, _ := baggage.New(s, n) // an error says that they are too long, and then they are not in it
	for _, a := range sessionAttrs(baggage.ContextWithBaggage(context.Background(), b)) {
		span.SetTag(string(a.Key), a.Value.AsInterface())
	}
}

// sessionAttrs are the session and number of the question that ctx belongs to, or nothing.
func sessionAttrs(ctx context.Context) []attribute.KeyValue {
	session, number, ok := tracer.SessionOf(ctx)
	if !ok {
		return nil
	}
	return []attribute.KeyValue{
		attr.QuestionNumber.Int(number), attr.SessionID.String(session), attr.ConversationID.String(session),
	}
}
