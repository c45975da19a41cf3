package opentracing

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	ot "github.com/opentracing/opentracing-go"
	"github.com/opentracing/opentracing-go/ext"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// initial is the API's own provider.
var initial = otel.GetTracerProvider()

func TestBridge(t *testing.T) {
	before := ot.GlobalTracer()
	t.Cleanup(func() {
		otel.SetTracerProvider(initial)
		ot.SetGlobalTracer(before)
	})
	err := Bridge()
	want := "opentracing bridge: no tracer provider is set, so no span would go anywhere (call setup.Start first)"
	if err == nil || err.Error() != want {
		t.Fatalf("error %v, want %s", err, want)
	}
	if otel.GetTracerProvider() != initial || ot.GlobalTracer() != before {
		t.Error("something was set all the same")
	}

	rec := tracertest.New(t)
	otel.SetTracerProvider(rec.TracerProvider())
	for range 2 {
		if err := Bridge(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"uber-trace-id", "traceparent", "tracestate", "baggage"}, otel.GetTextMapPropagator().Fields(),
		sorted); diff != "" {
		t.Errorf("propagators (-want +got):\n%s", diff)
	}

	// A question with spans of both kinds, one below the other.
	ctx, q := tracer.Ask(t.Context(), "")
	q.SetSession("bridge", 1)
	legacy, ctx1 := ot.StartSpanFromContext(ctx, "legacy", Stage(stages.Prompt))
	_, ours := tracer.Stage(ctx1, stages.Rerank)
	ours.End(nil)
	leaf := legacy.Tracer().StartSpan("leaf", ot.ChildOf(legacy.Context()), ext.SpanKindRPCClient)
	ext.Error.Set(leaf, true)
	leaf.Finish()
	legacy.Finish()
	q.End(nil)
	wantTree := `question ragtrace.stage=question session.id=bridge ragtrace.question.number=1
└─ legacy ragtrace.stage=prompt session.id=bridge ragtrace.question.number=1
   ├─ rerank ragtrace.stage=rerank session.id=bridge ragtrace.question.number=1
   └─ leaf client error
`
	if diff := cmp.Diff(wantTree, rec.Tree(attr.Stage, attr.SessionID, attr.QuestionNumber)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var sorted = cmp.Transformer("sorted", func(s []string) map[string]bool {
	m := make(map[string]bool)
	for _, v := range s {
		m[v] = true
	}
	return m
})

// A request that comes to a bridged service keeps its trace, session and number, whoever sent it.
func TestBridgedServer(t *testing.T) {
	w3c := headers("Traceparent", sampled, "Baggage", "session.id=anna,ragtrace.question.number=3")
	both := w3c.Clone()
	both.Set("Uber-Trace-Id", "1:2:0:1")
	client := headers("Uber-Trace-Id", traceID+":"+spanID+":0:1", "Baggage", "session.id=anna,ragtrace.question.number=3")
	for name, in := range map[string]http.Header{"W3C": w3c, "the client's": client, "both": both} {
		t.Run(name, func(t *testing.T) {
			rec := tracertest.New(t)
			bridged, _ := bridged(rec.TracerProvider())
			parent, err := bridged.Extract(ot.HTTPHeaders, ot.HTTPHeadersCarrier(in))
			if err != nil {
				t.Fatal(err)
			}
			server := bridged.StartSpan("server", ext.RPCServerOption(parent))
			call := bridged.StartSpan("call", ot.ChildOf(server.Context()))
			out := make(http.Header)
			if err := bridged.Inject(call.Context(), ot.HTTPHeaders, ot.HTTPHeadersCarrier(out)); err != nil {
				t.Fatal(err)
			}
			call.Finish()
			server.Finish()

			tree := "server server session.id=anna ragtrace.question.number=3 gen_ai.conversation.id=anna\n" +
				"└─ call session.id=anna ragtrace.question.number=3 gen_ai.conversation.id=anna\n"
			if diff := cmp.Diff(tree, rec.Tree(attr.SessionID, attr.QuestionNumber, attr.ConversationID)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			s := rec.Named("server")[0]
			if got := s.SpanContext().TraceID().String(); got != traceID || s.Parent().SpanID().String() != spanID {
				t.Errorf("trace %s below %s, want %s below %s", got, s.Parent().SpanID(), traceID, spanID)
			}
			id := rec.Named("call")[0].SpanContext().SpanID().String()
			if got, want := out.Get("Traceparent"), "00-"+traceID+"-"+id+"-01"; got != want {
				t.Errorf("traceparent %s, want %s", got, want)
			}
			if got, want := out.Get("Uber-Trace-Id"), traceID+":"+id+":0:1"; got != want {
				t.Errorf("uber-trace-id %s, want %s", got, want)
			}
		})
	}
}

// A span that OpenTelemetry opened is the parent of what OpenTracing opens in its context, and the other way round.
func TestBridgeParents(t *testing.T) {
	rec := tracertest.New(t)
	bridged, provider := bridged(rec.TracerProvider())
	ctx, outer := provider.Tracer("x").Start(context.Background(), "outer", trace.WithSpanKind(trace.SpanKindServer))
	middle, ctx := ot.StartSpanFromContextWithTracer(ctx, bridged, "middle")
	_, inner := provider.Tracer("x").Start(ctx, "inner")
	inner.End()
	middle.Finish()
	outer.End()
	if diff := cmp.Diff("outer server\n└─ middle\n   └─ inner\n", rec.Tree(attr.SessionID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
