package tracertest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

func TestTree(t *testing.T) {
	r := New(t)
	tr := r.TracerProvider().Tracer("test")
	at := func(s int) trace.SpanEventOption { return trace.WithTimestamp(time.Unix(int64(s), 0)) }
	ctx, root := tr.Start(t.Context(), "root", at(0), trace.WithSpanKind(trace.SpanKindServer))
	_, second := tr.Start(ctx, "second", at(5))
	second.SetStatus(codes.Error, "no")
	second.End(at(6))
	inner, first := tr.Start(ctx, "first", at(1), trace.WithAttributes(attribute.Int("n", 7)))
	_, leaf := tr.Start(inner, "leaf", at(2))
	leaf.End(at(3))
	first.End(at(4))
	_, open := tr.Start(ctx, "open", at(4))
	root.End(at(9))

	want := "root server\n├─ first n=7\n│  └─ leaf\n└─ second error\n"
	if diff := cmp.Diff(want, r.Tree("n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"open"}, r.Open()); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	open.End()
	if v := Value(r.Named("first")[0], "n").AsInt64(); v != 7 {
		t.Errorf("n is %d", v)
	}
	r.Reset()
	if got := r.Tree(); got != "" {
		t.Errorf("after Reset: %s", got)
	}
}
