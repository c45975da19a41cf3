package otlp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// unmarshalSpan is DecodeSpan by way of the protobuf library.
func unmarshalSpan(raw []byte, resource *model.Resource, scope *model.Scope) (model.Span, error) {
	var m tracepb.Span
	if err := proto.Unmarshal(raw, &m); err != nil {
		return model.Span{}, err
	}
	s := model.Span{
		Name:          m.Name,
		Kind:          model.Kind(m.Kind),
		Start:         nanos(m.StartTimeUnixNano),
		End:           nanos(m.EndTimeUnixNano),
		Status:        model.StatusCode(m.GetStatus().GetCode()),
		StatusMessage: m.GetStatus().GetMessage(),
		Attrs:         attrs(m.Attributes),
		Resource:      resource,
		Scope:         scope,
	}
	setID(s.TraceID[:], m.TraceId)
	setID(s.SpanID[:], m.SpanId)
	setID(s.ParentID[:], m.ParentSpanId)
	for _, e := range m.Events {
		s.Events = append(s.Events, model.Event{Time: nanos(e.GetTimeUnixNano()), Name: e.GetName(), Attrs: attrs(e.GetAttributes())})
	}
	for _, l := range m.Links {
		link := model.Link{Attrs: attrs(l.GetAttributes())}
		setID(link.TraceID[:], l.GetTraceId())
		setID(link.SpanID[:], l.GetSpanId())
		s.Links = append(s.Links, link)
	}
	return s, nil
}

func attrs(kvs []*commonpb.KeyValue) model.Attrs {
	if len(kvs) == 0 {
		return nil
	}
	return model.Attrs(unmarshalledValues(kvs))
}

func unmarshalledValues(kvs []*commonpb.KeyValue) map[string]any {
	m := make(map[string]any, len(kvs))
	for _, kv := range kvs {
		m[kv.GetKey()] = unmarshalledValue(kv.GetValue())
	}
	return m
}

func unmarshalledValue(v *commonpb.AnyValue) any {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_BoolValue:
		return v.BoolValue
	case *commonpb.AnyValue_IntValue:
		return v.IntValue
	case *commonpb.AnyValue_DoubleValue:
		return v.DoubleValue
	case *commonpb.AnyValue_BytesValue:
		return v.BytesValue
	case *commonpb.AnyValue_ArrayValue:
		list := make([]any, 0, len(v.ArrayValue.GetValues()))
		for _, e := range v.ArrayValue.GetValues() {
			list = append(list, unmarshalledValue(e))
		}
		return list
	case *commonpb.AnyValue_KvlistValue:
		return unmarshalledValues(v.KvlistValue.GetValues())
	}
	return nil // an empty value, or one of a kind not known here
}

// FuzzDecodeSpan compares with what the protobuf library reads. Both must agree on what can be read at all, where check
// lets it pass; a message that comes twice where there may be one is merged by the library and replaced here.
func FuzzDecodeSpan(f *testing.F) {
	for _, span := range otlptest.NewPipeline(1).Request(1).ResourceSpans[0].ScopeSpans[0].Spans {
		f.Add(marshalled(f, span))
	}
	f.Add(marshalled(f, otlptest.Full().ResourceSpans[0].ScopeSpans[0].Spans[0]))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var m tracepb.Span
		if err := proto.Unmarshal(raw, &m); err == nil { // in the order and with the number of fields that the library writes
			raw = marshalled(t, &m)
		}
		want, wantErr := unmarshalSpan(raw, nil, nil)
		got, err := DecodeSpan(raw, nil, nil)
		if _, refused := check(raw); refused == nil && (err != nil || wantErr != nil) {
			t.Fatalf("a span that passed the check is decoded with %v, by the library with %v", err, wantErr)
		}
		if wantErr != nil || err != nil {
			return
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-library +got):\n%s", diff)
		}
	})
}

func marshalled(t testing.TB, m proto.Message) []byte {
	t.Helper()
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func BenchmarkDecodeSpan(b *testing.B) {
	spans := otlptest.NewPipeline(1).Request(1).ResourceSpans[0].ScopeSpans[0].Spans
	var raws [][]byte
	for _, s := range spans {
		raws = append(raws, marshalled(b, s))
	}
	for name, decode := range map[string]func([]byte, *model.Resource, *model.Scope) (model.Span, error){"own": DecodeSpan, "library": unmarshalSpan} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, raw := range raws {
					if _, err := decode(raw, nil, nil); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
