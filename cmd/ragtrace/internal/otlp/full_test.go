package otlp_test

import "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"

// full is otlptest.Full as model.Span, written by hand.
var full = model.Span{
	TraceID:       model.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c},
	SpanID:        model.SpanID{0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x74},
	ParentID:      model.SpanID{0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x73},
	Name:          `chat "tiny"`,
	Kind:          model.KindClient,
	Start:         1764500000000000001,
	End:           1764500001500000002,
	Status:        model.StatusError,
	StatusMessage: "server died",
	Attrs: model.Attrs{
		"session.id":               "s-1",
		"ragtrace.question.number": int64(9007199254740993),
		"double":                   0.1,
		"bool":                     true,
		"bytes":                    []byte{0, 0xff},
		"array":                    []any{"a", int64(-1), []any{"b"}},
		"map":                      map[string]any{"x": "ü", "y": []any{int64(1)}},
		"empty":                    nil,
	},
	Events: []model.Event{{Time: 1764500000700000000, Name: "first_chunk", Attrs: model.Attrs{"n": int64(7)}}},
	Links: []model.Link{{
		TraceID: model.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c},
		SpanID:  model.SpanID{1, 2, 3, 4, 5, 6, 7, 8},
		Attrs:   model.Attrs{"l": "m"},
	}},
	Resource: &model.Resource{Attrs: model.Attrs{"service.name": "ragapp", "service.instance.id": "a-1"}},
	Scope:    &model.Scope{Name: "tracer", Version: "1.2.3"},
}

// fullJSON is otlptest.Full as OTLP/JSON, written by hand, with the envelope behind the content and unknown keys.
const fullJSON = `{
  "resourceSpans": [
    {
      "scopeSpans": [
        {
          "spans": [
            {
              "traceId": "5B8EFFF798038103D269B633813FC60C", "spanId": "eee19b7ec3c1b174", "parentSpanId": "eee19b7ec3c1b173",
              "traceState": "vendor=1", "flags": 769, "name": "chat \"tiny\"", "kind": 3, "unknown": {"a": [1]},
              "startTimeUnixNano": "1764500000000000001", "endTimeUnixNano": "1764500001500000002",
              "attributes": [
                {"key": "session.id", "value": {"stringValue": "s-1"}},
                {"key": "ragtrace.question.number", "value": {"intValue": "9007199254740993"}},
                {"key": "double", "value": {"doubleValue": 0.1}},
                {"key": "bool", "value": {"boolValue": true}},
                {"key": "bytes", "value": {"bytesValue": "AP8="}},
                {"key": "array", "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": -1}, {"arrayValue": {"values": [{"stringValue": "b"}]}}]}}},
                {"key": "map", "value": {"kvlistValue": {"values": [{"key": "x", "value": {"stringValue": "\u00fc"}}, {"key": "y", "value": {"arrayValue": {"values": [{"intValue": "1"}]}}}]}}},
                {"key": "empty", "value": {}}
              ],
              "droppedAttributesCount": 1,
              "events": [{"timeUnixNano": "1764500000700000000", "name": "first_chunk", "attributes": [{"key": "n", "value": {"intValue": "7"}}], "droppedAttributesCount": 6}],
              "droppedEventsCount": 2,
              "links": [{"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "0102030405060708", "traceState": "vendor=2", "attributes": [{"key": "l", "value": {"stringValue": "m"}}], "droppedAttributesCount": 7, "flags": 1}],
              "droppedLinksCount": 3,
              "status": {"code": 2, "message": "server died"}
            }
          ],
          "schemaUrl": "https://opentelemetry.io/schemas/1.43.0",
          "scope": {"name": "tracer", "version": "1.2.3", "attributes": [{"key": "k", "value": {"stringValue": "v"}}], "droppedAttributesCount": 5}
        }
      ],
      "schemaUrl": "https://opentelemetry.io/schemas/1.44.0",
      "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "ragapp"}}, {"key": "service.instance.id", "value": {"stringValue": "a-1"}}], "droppedAttributesCount": 4}
    }
  ],
  "somethingNew": null
}
`
