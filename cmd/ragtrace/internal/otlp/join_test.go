package otlp_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
)

// odd is a request of everything that a way through JSON may lose.
func odd() *coltracepb.ExportTraceServiceRequest {
	request := otlptest.Full()
	span := request.ResourceSpans[0].ScopeSpans[0].Spans[0]
	double := func(key string, f float64) *commonpb.KeyValue {
		return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: f}}}
	}
	any := func(key string, v *commonpb.AnyValue) *commonpb.KeyValue {
		return &commonpb.KeyValue{Key: key, Value: v}
	}
	span.Attributes = append(span.Attributes,
		double("nan", math.NaN()), double("inf", math.Inf(1)), double("-inf", math.Inf(-1)), double("tiny", math.SmallestNonzeroFloat64),
		double("huge", math.MaxFloat64), double("whole", 3), double("zero", 0), double("third", 1.0/3),
		otlptest.Int("least", math.MinInt64), otlptest.Int("none", 0),
		otlptest.Str("", "no key"), otlptest.Str("no text", ""), otlptest.Str("text", "\x00\u2028\"\\/<>&\n\U0001F600"),
		otlptest.Str("twice", "1"), otlptest.Str("twice", "2"),
		any("false", &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{}}),
		any("no bytes", &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: []byte{}}}),
		any("no array", &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{}}}),
		any("no map", &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{}}}),
		any("array of nothing", &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{{}, {}}}}}),
	)
	span.Events = append(span.Events, &tracepb.Span_Event{})
	span.Links = append(span.Links, &tracepb.Span_Link{TraceId: otlptest.TraceID, SpanId: otlptest.SpanID})
	ok := &tracepb.Span{TraceId: otlptest.TraceID, SpanId: []byte{1, 0, 0, 0, 0, 0, 0, 0}, Status: &tracepb.Status{Code: tracepb.Status_STATUS_CODE_OK}}
	bare := &tracepb.Span{TraceId: otlptest.TraceID, SpanId: []byte{2, 0, 0, 0, 0, 0, 0, 0}}
	request.ResourceSpans[0].ScopeSpans = append(request.ResourceSpans[0].ScopeSpans, &tracepb.ScopeSpans{Spans: []*tracepb.Span{ok}})
	request.ResourceSpans = append(request.ResourceSpans, &tracepb.ResourceSpans{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{bare}}}})
	return request
}

func TestJoinIsTheInverseOfSplit(t *testing.T) {
	for name, request := range map[string]*coltracepb.ExportTraceServiceRequest{"everything": odd(), "questions": otlptest.Questions(3), "nothing": {}} {
		batch, err := otlp.Split(marshal(t, request))
		if err != nil {
			t.Fatal(err)
		}
		var got coltracepb.ExportTraceServiceRequest
		if err := proto.Unmarshal(otlp.Join(batch), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(request, &got, protocmp.Transform(), nan); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// nan lets NaN be itself.
var nan = cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })

// Spans of one resource that came apart stand together, in the order in which they came.
func TestJoinGathers(t *testing.T) {
	first, second := otlptest.Questions(1), otlptest.Questions(1)
	first.ResourceSpans = append(first.ResourceSpans, odd().ResourceSpans[0], second.ResourceSpans[0])
	batch, err := otlp.Split(marshal(t, first))
	if err != nil {
		t.Fatal(err)
	}
	var got coltracepb.ExportTraceServiceRequest
	if err := proto.Unmarshal(otlp.Join(batch), &got); err != nil {
		t.Fatal(err)
	}
	if n := len(got.ResourceSpans); n != 2 {
		t.Fatalf("%d resources, want 2", n)
	}
	want := append(first.ResourceSpans[0].ScopeSpans[0].Spans, second.ResourceSpans[0].ScopeSpans[0].Spans...)
	if diff := cmp.Diff(want, got.ResourceSpans[0].ScopeSpans[0].Spans, protocmp.Transform()); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// filled is a request in which what is absent is empty, which means the same: JSON has both written out.
func filled(request *coltracepb.ExportTraceServiceRequest) *coltracepb.ExportTraceServiceRequest {
	for _, r := range request.ResourceSpans {
		if r.Resource == nil {
			r.Resource = &resourcepb.Resource{}
		}
		for _, sc := range r.ScopeSpans {
			if sc.Scope == nil {
				sc.Scope = &commonpb.InstrumentationScope{}
			}
			for _, s := range sc.Spans {
				if s.Status == nil {
					s.Status = &tracepb.Status{}
				}
			}
		}
	}
	return request
}

func TestThroughJSONNothingIsLost(t *testing.T) {
	for name, request := range map[string]*coltracepb.ExportTraceServiceRequest{"everything": odd(), "questions": otlptest.Questions(2)} {
		batch, err := otlp.Split(marshal(t, request))
		if err != nil {
			t.Fatal(err)
		}
		text, err := otlp.JSON(batch)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(text, "\n\r") {
			t.Errorf("%s: more than one line", name)
		}
		batches, err := readAll(string(text))
		if err != nil || len(batches) != 1 {
			t.Fatalf("%s: %d requests, %v", name, len(batches), err)
		}
		if n, reasons := batches[0].Refusal(); n > 0 {
			t.Errorf("%s: %d spans refused: %s", name, n, reasons)
		}
		var got coltracepb.ExportTraceServiceRequest
		if err := proto.Unmarshal(otlp.Join(batches[0]), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(filled(request), filled(&got), protocmp.Transform(), nan); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		again, err := otlp.JSON(batches[0])
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s: a second time it is\n%s\nand not\n%s", name, again, text)
		}
	}
}

// A trace that is written as JSON has its ids in hex, and its numbers as OTLP wants them:
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
func TestJSONIsOTLP(t *testing.T) {
	batch, err := otlp.Split(marshal(t, otlptest.Full()))
	if err != nil {
		t.Fatal(err)
	}
	text, err := otlp.JSON(batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"traceId":"5b8efff798038103d269b633813fc60c"`, `"kind":3`, `"startTimeUnixNano":"1764500000000000001"`,
		`"intValue":"9007199254740993"`, `"bytesValue":"AP8="`, `"code":2`, `"flags":769`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
