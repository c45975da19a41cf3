package otlp

import (
	"fmt"
	"math"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Decode decodes the spans of a batch.
func (b *Batch) Decode() ([]model.Span, error) {
	resources := map[*Envelope]*model.Resource{}
	scopes := map[*Envelope]*model.Scope{}
	spans := make([]model.Span, 0, len(b.Spans))
	for _, raw := range b.Spans {
		var err error
		if resources[raw.Resource] == nil {
			if resources[raw.Resource], err = DecodeResource(raw.Resource.OTLP); err != nil {
				return nil, err
			}
		}
		if scopes[raw.Scope] == nil {
			if scopes[raw.Scope], err = DecodeScope(raw.Scope.OTLP); err != nil {
				return nil, err
			}
		}
		span, err := DecodeSpan(raw.OTLP, resources[raw.Resource], scopes[raw.Scope])
		if err != nil {
			return nil, err
		}
		spans = append(spans, span)
	}
	return spans, nil
}

// DecodeResource decodes the envelope of a resource.
func DecodeResource(raw []byte) (*model.Resource, error) {
	var m tracepb.ResourceSpans
	if err := proto.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("decode resource: %w", err)
	}
	return &model.Resource{Attrs: attrs(m.GetResource().GetAttributes())}, nil
}

// DecodeScope decodes the envelope of a scope.
func DecodeScope(raw []byte) (*model.Scope, error) {
	var m tracepb.ScopeSpans
	if err := proto.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("decode scope: %w", err)
	}
	return &model.Scope{Name: m.GetScope().GetName(), Version: m.GetScope().GetVersion()}, nil
}

// DecodeSpan decodes a span's protobuf.
func DecodeSpan(raw []byte, resource *model.Resource, scope *model.Scope) (model.Span, error) {
	var m tracepb.Span
	if err := proto.Unmarshal(raw, &m); err != nil {
		return model.Span{}, fmt.Errorf("decode span: %w", err)
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

// nanos is a time of OTLP as an int64; one after the year 2262 is none.
func nanos(t uint64) int64 {
	if t > math.MaxInt64 {
		return 0
	}
	return int64(t)
}

// attrs is nil for no attributes. Of a key that comes twice the last value counts.
func attrs(kvs []*commonpb.KeyValue) model.Attrs {
	if len(kvs) == 0 {
		return nil
	}
	return model.Attrs(values(kvs))
}

func values(kvs []*commonpb.KeyValue) map[string]any {
	m := make(map[string]any, len(kvs))
	for _, kv := range kvs {
		m[kv.GetKey()] = value(kv.GetValue())
	}
	return m
}

func value(v *commonpb.AnyValue) any {
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
			list = append(list, value(e))
		}
		return list
	case *commonpb.AnyValue_KvlistValue:
		return values(v.KvlistValue.GetValues())
	}
	return nil // an empty value, or one of a kind not known here
}
