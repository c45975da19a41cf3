// Package otlptest makes OTLP requests for the tests of everything behind otlp.
package otlptest

import (
	"crypto/rand"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// TraceID and SpanID are the ids in Full.
var (
	TraceID = []byte{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}
	SpanID  = []byte{0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x74}
)

// Full is a request of one span that uses all of OTLP: every type of attribute, events, links, a status, trace state,
// flags, dropped counts, a resource, a scope and both schema URLs.
func Full() *coltracepb.ExportTraceServiceRequest {
	return &coltracepb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: &resourcepb.Resource{
			Attributes:             []*commonpb.KeyValue{Str("service.name", "ragapp"), Str("service.instance.id", "a-1")},
			DroppedAttributesCount: 4,
		},
		SchemaUrl: "https://opentelemetry.io/schemas/1.44.0",
		ScopeSpans: []*tracepb.ScopeSpans{{
			Scope: &commonpb.InstrumentationScope{
				Name: "tracer", Version: "1.2.3", Attributes: []*commonpb.KeyValue{Str("k", "v")}, DroppedAttributesCount: 5,
			},
			SchemaUrl: "https://opentelemetry.io/schemas/1.43.0",
			Spans: []*tracepb.Span{{
				TraceId: TraceID, SpanId: SpanID, ParentSpanId: []byte{0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x73},
				TraceState: "vendor=1", Flags: 0x301, Name: "chat \"tiny\"", Kind: tracepb.Span_SPAN_KIND_CLIENT,
				StartTimeUnixNano: 1764500000000000001, EndTimeUnixNano: 1764500001500000002,
				Attributes: []*commonpb.KeyValue{
					Str("session.id", "s-1"),
					Int("ragtrace.question.number", 9007199254740993), // not a float64
					kv("double", &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: 0.1}}),
					kv("bool", &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: true}}),
					kv("bytes", &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: []byte{0, 0xff}}}),
					kv("array", list(text("a"), whole(-1), list(text("b")))),
					kv("map", &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{
						Values: []*commonpb.KeyValue{Str("x", "ü"), kv("y", list(whole(1)))},
					}}}),
					kv("empty", &commonpb.AnyValue{}),
				},
				DroppedAttributesCount: 1,
				Events: []*tracepb.Span_Event{{
					TimeUnixNano: 1764500000700000000, Name: "first_chunk", Attributes: []*commonpb.KeyValue{Int("n", 7)}, DroppedAttributesCount: 6,
				}},
				DroppedEventsCount: 2,
				Links: []*tracepb.Span_Link{{
					TraceId: TraceID, SpanId: []byte{1, 2, 3, 4, 5, 6, 7, 8}, TraceState: "vendor=2",
					Attributes: []*commonpb.KeyValue{Str("l", "m")}, DroppedAttributesCount: 7, Flags: 1,
				}},
				DroppedLinksCount: 3,
				Status:            &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "server died"},
			}},
		}},
	}}}
}

// Questions is a request of n questions of 12 spans each, with ids that no other has. The session is s-1.
func Questions(n int) *coltracepb.ExportTraceServiceRequest {
	scope := &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: "tracer"}}
	for range n {
		trace, root := ID(16), ID(8)
		for i := range 12 {
			span := &tracepb.Span{
				TraceId: trace, SpanId: ID(8), ParentSpanId: root, Name: "chat llama3.2:3b", Kind: tracepb.Span_SPAN_KIND_CLIENT,
				StartTimeUnixNano: 1764500000000000000 + uint64(i), EndTimeUnixNano: 1764500001000000000,
				Attributes: []*commonpb.KeyValue{
					Str("ragtrace.stage", "llm"), Str("session.id", "s-1"), Int("ragtrace.question.number", 4),
					Str("gen_ai.conversation.id", "s-1"), Str("gen_ai.operation.name", "chat"),
					Str("gen_ai.provider.name", "ollama"), Str("gen_ai.request.model", "llama3.2:3b"),
					Int("gen_ai.usage.input_tokens", 1200), Int("gen_ai.usage.output_tokens", 300),
					Str("server.address", "127.0.0.1"), Int("server.port", 11434), Int("http.response.status_code", 200),
				},
			}
			if i == 0 {
				span.SpanId, span.ParentSpanId, span.Name = root, nil, "question"
			}
			scope.Spans = append(scope.Spans, span)
		}
	}
	return Request(scope.Spans...)
}

// Request is a request of these spans, of one service and scope.
func Request(spans ...*tracepb.Span) *coltracepb.ExportTraceServiceRequest {
	return &coltracepb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: []*commonpb.KeyValue{Str("service.name", "ragapp")}},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: "tracer"}, Spans: spans}},
	}}}
}

// ID is a random id of n bytes.
func ID(n int) []byte {
	id := make([]byte, n)
	rand.Read(id)
	return id
}

// Str is a string attribute.
func Str(key, value string) *commonpb.KeyValue { return kv(key, text(value)) }

// Int is an integer attribute.
func Int(key string, value int64) *commonpb.KeyValue { return kv(key, whole(value)) }

func kv(key string, value *commonpb.AnyValue) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: value}
}

func text(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

func whole(n int64) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: n}}
}

func list(values ...*commonpb.AnyValue) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: values}}}
}
