package opentracing

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	ot "github.com/opentracing/opentracing-go"
	"github.com/uber/jaeger-client-go"

	"github.com/ragtrace/ragtrace/stages"
)

// tags are those that a test looks at.
func tags(s ot.Span, keys ...string) map[string]any {
	got := make(map[string]any)
	for _, k := range keys {
		if v, ok := s.(*jaeger.Span).Tags()[k]; ok {
			got[k] = v
		}
	}
	return got
}

func TestSessionOnSpansOfTheClient(t *testing.T) {
	all := map[string]any{"session.id": "anna", "gen_ai.conversation.id": "anna", "ragtrace.question.number": int64(3)}
	for _, c := range []struct {
		name, baggage string
		want          map[string]any
	}{
		{"both", "session.id=anna,ragtrace.question.number=3", all},
		{"neither", "a=1", map[string]any{}},
		{"no number", "session.id=anna", map[string]any{}},
		{"no session", "ragtrace.question.number=3", map[string]any{}},
		{"no such number", "session.id=anna,ragtrace.question.number=0", map[string]any{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tracer, spans := newTracer(t, Options()...)
			parent, err := tracer.Extract(ot.HTTPHeaders, ot.HTTPHeadersCarrier(headers("Traceparent", sampled, "Baggage", c.baggage)))
			if err != nil {
				t.Fatal(err)
			}
			server := tracer.StartSpan("server", ot.ChildOf(parent))
			tracer.StartSpan("below", ot.ChildOf(server.Context())).Finish()
			server.Finish()
			for _, s := range spans.GetSpans() {
				if diff := cmp.Diff(c.want, tags(s, "session.id", "gen_ai.conversation.id", "ragtrace.question.number")); diff != "" {
					t.Errorf("%s (-want +got):\n%s", s.(*jaeger.Span).OperationName(), diff)
				}
			}
		})
	}
	t.Run("said by the service itself", func(t *testing.T) {
		tracer, spans := newTracer(t, Options()...)
		span := tracer.StartSpan("root")
		span.SetBaggageItem("session.id", "anna").SetBaggageItem("ragtrace.question.number", "3")
		span.Finish()
		if diff := cmp.Diff(all, tags(spans.GetSpans()[0], "session.id", "gen_ai.conversation.id", "ragtrace.question.number")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestStage(t *testing.T) {
	tracer, spans := newTracer(t)
	tracer.StartSpan("gateway", Stage(stages.Gateway)).Finish()
	tracer.StartSpan("decode", Stage(stages.LLMDecode)).Finish()
	for i, want := range []map[string]any{
		{"ragtrace.stage": "gateway", "ragtrace.inside_llm": false, "ragtrace.timing.source": "measured", "openinference.span.kind": "CHAIN"},
		{"ragtrace.stage": "llm.decode", "ragtrace.inside_llm": true, "ragtrace.timing.source": "measured", "openinference.span.kind": "CHAIN"},
	} {
		got := tags(spans.GetSpans()[i], "ragtrace.stage", "ragtrace.inside_llm", "ragtrace.timing.source", "openinference.span.kind")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
