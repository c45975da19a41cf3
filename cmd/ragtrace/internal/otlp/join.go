package otlp

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/protobuf/encoding/protowire"
)

// Join puts the spans of a batch together again: a protobuf ExportTraceServiceRequest, the inverse of Split. Spans of equal
// resources, and of equal scopes in them, stand together, each in the order in which they are in the batch.
func Join(b *Batch) []byte {
	type scope struct {
		head  []byte
		spans []byte
	}
	type resource struct {
		head   []byte
		scopes map[string]*scope
		order  []*scope
	}
	resources := map[string]*resource{}
	var order []*resource
	for _, s := range b.Spans {
		r := resources[string(s.Resource.OTLP)]
		if r == nil {
			r = &resource{head: s.Resource.OTLP, scopes: map[string]*scope{}}
			resources[string(s.Resource.OTLP)] = r
			order = append(order, r)
		}
		sc := r.scopes[string(s.Scope.OTLP)]
		if sc == nil {
			sc = &scope{head: s.Scope.OTLP}
			r.scopes[string(s.Scope.OTLP)] = sc
			r.order = append(r.order, sc)
		}
		sc.spans = appendChild(sc.spans, fieldSpans, s.OTLP)
	}
	var request []byte
	for _, r := range order {
		body := append([]byte(nil), r.head...)
		for _, sc := range r.order {
			body = appendChild(body, fieldScopeSpans, sc.head, sc.spans)
		}
		request = appendChild(request, fieldResourceSpans, body)
	}
	return request
}

// appendChild appends a message that is made of parts.
func appendChild(dst []byte, field protowire.Number, parts ...[]byte) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	dst = protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.BytesType), uint64(size))
	for _, p := range parts {
		dst = append(dst, p...)
	}
	return dst
}

// JSON writes the spans of a batch as a request of OTLP/JSON, on one line without its end.
func JSON(b *Batch) ([]byte, error) {
	traces, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(Join(b))
	if err != nil {
		return nil, fmt.Errorf("write OTLP/JSON: %w", err)
	}
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	if err != nil {
		return nil, fmt.Errorf("write OTLP/JSON: %w", err)
	}
	return text, nil
}
