package otlp_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestSplitKeepsEveryByte(t *testing.T) {
	request := otlptest.Full()
	resource := request.ResourceSpans[0]
	scope := resource.ScopeSpans[0]
	span := scope.Spans[0]
	// Fields that a newer OTLP may have.
	later := protowire.AppendBytes(protowire.AppendTag(nil, 1000, protowire.BytesType), []byte("later"))
	for _, m := range []proto.Message{resource, scope, span} {
		m.ProtoReflect().SetUnknown(later)
	}
	batch, err := otlp.Split(marshal(t, request))
	if err != nil {
		t.Fatal(err)
	}
	if len(batch.Spans) != 1 {
		t.Fatalf("%d spans, want 1", len(batch.Spans))
	}
	got := batch.Spans[0]
	if !bytes.Equal(got.OTLP, marshal(t, span)) {
		t.Error("the span's bytes changed")
	}
	scope.Spans = nil
	if !bytes.Equal(got.Scope.OTLP, marshal(t, scope)) {
		t.Error("the scope's bytes changed")
	}
	resource.ScopeSpans = nil
	if !bytes.Equal(got.Resource.OTLP, marshal(t, resource)) {
		t.Error("the resource's bytes changed")
	}
	if got.TraceID != full.TraceID || got.SpanID != full.SpanID || got.Start != full.Start {
		t.Errorf("columns are %v %v %d", got.TraceID, got.SpanID, got.Start)
	}
	if !got.Question {
		t.Error("no question")
	}
}

func TestDecode(t *testing.T) {
	batch, err := otlp.Split(marshal(t, otlptest.Full()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := batch.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]model.Span{full}, got); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

func TestSplitAcceptsAnyOrderOfFields(t *testing.T) {
	request := otlptest.Full()
	resource := request.ResourceSpans[0]
	children := &tracepb.ResourceSpans{ScopeSpans: resource.ScopeSpans}
	resource.ScopeSpans = nil
	raw := append(marshal(t, children), marshal(t, resource)...) // the resource comes last
	raw = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), raw)
	batch, err := otlp.Split(raw)
	if err != nil {
		t.Fatal(err)
	}
	got, err := batch.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]model.Span{full}, got); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

func TestSpansAreRefusedOneByOne(t *testing.T) {
	const placeholder = "this name is replaced"
	good := func() *tracepb.Span { return &tracepb.Span{TraceId: otlptest.ID(16), SpanId: otlptest.ID(8)} }
	shortTrace, longTrace, noTrace, zeroTrace := good(), good(), good(), good()
	shortTrace.TraceId, longTrace.TraceId, noTrace.TraceId, zeroTrace.TraceId = otlptest.ID(8), otlptest.ID(17), nil, make([]byte, 16)
	shortSpan, zeroSpan := good(), good()
	shortSpan.SpanId, zeroSpan.SpanId = otlptest.ID(4), make([]byte, 8)
	broken := good()
	broken.Name = placeholder
	backwards := good()
	backwards.StartTimeUnixNano, backwards.EndTimeUnixNano = 5, 3
	tooLate := good()
	tooLate.StartTimeUnixNano = math.MaxUint64

	raw := marshal(t, otlptest.Request(good(), shortTrace, longTrace, noTrace, zeroTrace, shortSpan, zeroSpan, broken, backwards, tooLate, good()))
	raw = bytes.Replace(raw, []byte(placeholder), []byte(strings.Repeat("\xff", len(placeholder))), 1) // no UTF-8
	batch, err := otlp.Split(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(batch.Spans) != 3 {
		t.Errorf("%d spans kept, want the first, the last, and the one that ends before it starts", len(batch.Spans))
	}
	n, reasons := batch.Refusal()
	want := "1: malformed; 1: start is not between 1970 and 2262; 2: span id is not 8 bytes or is zero; 4: trace id is not 16 bytes or is zero"
	if n != 8 || reasons != want {
		t.Errorf("refusal is %d, %q, want 8, %q", n, reasons, want)
	}
	spans, err := batch.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if spans[1].Start != 5 || spans[1].End != 3 {
		t.Errorf("times are %d-%d, want 5-3 as sent", spans[1].Start, spans[1].End)
	}
}

func TestSplitRefusesBrokenRequests(t *testing.T) {
	whole := marshal(t, otlptest.Full())
	for name, raw := range map[string][]byte{
		"truncated":   whole[:len(whole)-1],
		"text":        []byte("hello"),
		"no resource": protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte{0x0a, 0x05, 1}),
	} {
		if _, err := otlp.Split(raw); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if batch, err := otlp.Split(nil); err != nil || len(batch.Spans) != 0 {
		t.Errorf("an empty request is legal; got %v", err)
	}
}

func TestQuestionMark(t *testing.T) {
	for key, want := range map[string]bool{
		"ragtrace.stage": true, "gen_ai.operation.name": true, "gen_ai.latency.time_in_queue": true,
		"openinference.span.kind": true, "llm.request.type": true, "langfuse.observation.type": true, "langwatch.span.type": true, "ai.operationId": true,
		"http.request.method": false, "session.id": false, "db.system.name": false,
	} {
		span := &tracepb.Span{TraceId: otlptest.ID(16), SpanId: otlptest.ID(8)}
		span.Attributes = append(span.Attributes, otlptest.Str(key, "x"))
		batch, err := otlp.Split(marshal(t, otlptest.Request(span)))
		if err != nil {
			t.Fatal(err)
		}
		if got := batch.Spans[0].Question; got != want {
			t.Errorf("%s: question is %v, want %v", key, got, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(marshal(f, otlptest.Full()))
	f.Add(marshal(f, otlptest.Questions(1)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		batch, err := otlp.Split(raw)
		if err != nil {
			return
		}
		spans, err := batch.Decode()
		if err != nil {
			t.Fatalf("what was kept cannot be decoded: %v", err)
		}
		for i, s := range spans {
			if s.TraceID != batch.Spans[i].TraceID || s.TraceID.IsZero() || s.SpanID != batch.Spans[i].SpanID || s.SpanID.IsZero() {
				t.Fatalf("ids differ or are zero: %+v", s)
			}
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	raw := marshal(b, otlptest.Questions(40))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := otlp.Split(raw); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(480*b.N)/b.Elapsed().Seconds(), "spans/s")
}
