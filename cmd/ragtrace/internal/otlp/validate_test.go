package otlp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
)

func nested(depth int) *commonpb.AnyValue {
	v := &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: "x"}}
	for range depth {
		v = &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{v}}}}
	}
	return v
}

func spanWith(attrs ...*commonpb.KeyValue) *tracepb.Span {
	return &tracepb.Span{TraceId: otlptest.ID(16), SpanId: otlptest.ID(8), Attributes: attrs}
}

// empty is n attributes of two bytes each.
func empty(n int) []*commonpb.KeyValue {
	attrs := make([]*commonpb.KeyValue, n)
	for i := range attrs {
		attrs[i] = &commonpb.KeyValue{}
	}
	return attrs
}

func TestWhatASpanMayBe(t *testing.T) {
	for name, c := range map[string]struct {
		span *tracepb.Span
		want map[string]int // refused
	}{
		"large":         {spanWith(otlptest.Str("prompt", strings.Repeat("x", 3<<20))), nil},
		"too large":     {spanWith(otlptest.Str("prompt", strings.Repeat("x", 4<<20))), map[string]int{"larger than 4 MiB": 1}},
		"much":          {spanWith(empty(49_000)...), nil},
		"too much":      {spanWith(empty(100_001)...), map[string]int{"more than 100000 attributes, events and links": 1}},
		"deep":          {spanWith(&commonpb.KeyValue{Key: "k", Value: nested(60)}), nil},
		"too deep":      {spanWith(&commonpb.KeyValue{Key: "k", Value: nested(200)}), map[string]int{"values are nested too deep": 1}},
		"much too deep": {spanWith(&commonpb.KeyValue{Key: "k", Value: nested(3000)}), map[string]int{"values are nested too deep": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			request := otlptest.Request(c.span)
			batch, err := otlp.Split(marshal(t, request))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, batch.Refused); diff != "" {
				t.Errorf("protobuf (-want +got):\n%s", diff)
			}
			raw, err := protojson.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			// OTLP/JSON has ids in hexadecimal.
			raw = bytes.Replace(raw, []byte(`"traceId":"`), []byte(`"traceId":"5b8efff798038103d269b633813fc60c","x":"`), 1)
			raw = bytes.Replace(raw, []byte(`"spanId":"`), []byte(`"spanId":"eee19b7ec3c1b174","y":"`), 1)
			for batch, err := range otlp.ReadJSON(bytes.NewReader(raw)) {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, batch.Refused); diff != "" {
					t.Errorf("JSON (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestARequestMayHaveSoManySpans(t *testing.T) {
	scope := []byte{}
	const most = 1000
	for i := range most + 3 {
		span := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), bytes.Repeat([]byte{1}, 16))
		id := protowire.AppendFixed64(nil, uint64(i)+1)
		span = protowire.AppendBytes(protowire.AppendTag(span, 2, protowire.BytesType), id)
		scope = protowire.AppendBytes(protowire.AppendTag(scope, 2, protowire.BytesType), span)
	}
	resource := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), scope)
	request := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), resource)
	if whole, err := otlp.Split(request); err != nil || len(whole.Spans) != most+3 {
		t.Errorf("without a limit: %v", err)
	}
	batch, err := otlp.SplitUpTo(request, most)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"beyond the first 1000 spans of a request": 3}, batch.Refused); diff != "" || len(batch.Spans) != most {
		t.Errorf("%d spans, refused (-want +got):\n%s", len(batch.Spans), diff)
	}
}

func TestAnEnvelopeMayBeSoLarge(t *testing.T) {
	request := otlptest.Full()
	request.ResourceSpans[0].Resource.Attributes = append(request.ResourceSpans[0].Resource.Attributes, otlptest.Str("x", strings.Repeat("x", 1<<20)))
	if _, err := otlp.Split(marshal(t, request)); err == nil || err.Error() != "resource: larger than 1 MiB" {
		t.Errorf("error is %v", err)
	}
}
