package otlp

import (
	"fmt"
	"iter"
	"math"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The children of all three levels of a request: opentelemetry/proto/collector/trace/v1/trace_service.proto
// ExportTraceServiceRequest.resource_spans, and trace/v1/trace.proto ResourceSpans.scope_spans and ScopeSpans.spans.
const (
	fieldResourceSpans = 1
	fieldScopeSpans    = 2
	fieldSpans         = 2
)

// Split takes a protobuf ExportTraceServiceRequest apart. The spans share the memory of request. Spans that cannot be
// kept are counted in the batch; an error means that the request itself is broken.
func Split(request []byte) (*Batch, error) { return SplitUpTo(request, math.MaxInt) }

// SplitUpTo is Split for requests of strangers: it refuses spans beyond the first most, and requests with more resources and
// scopes than that.
func SplitUpTo(request []byte, most int) (*Batch, error) {
	b := &Batch{most: most}
	_, resources, err := unwrap(request, fieldResourceSpans)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	for raw := range resources {
		if err := b.countEnvelope(); err != nil {
			return nil, err
		}
		head, scopes, err := unwrap(raw, fieldScopeSpans)
		if err == nil {
			err = checkEnvelope(head, &tracepb.ResourceSpans{})
		}
		if err != nil {
			return nil, fmt.Errorf("resource: %w", err)
		}
		resource := &Envelope{head}
		for raw := range scopes {
			if err := b.countEnvelope(); err != nil {
				return nil, err
			}
			head, spans, err := unwrap(raw, fieldSpans)
			if err == nil {
				err = checkEnvelope(head, &tracepb.ScopeSpans{})
			}
			if err != nil {
				return nil, fmt.Errorf("scope: %w", err)
			}
			scope := &Envelope{head}
			for raw := range spans {
				b.Add(raw, resource, scope)
			}
		}
	}
	return b, nil
}

// checkEnvelope reports whether what stands around spans can be kept.
func checkEnvelope(raw []byte, kind proto.Message) error {
	if len(raw) > maxEnvelope {
		return fmt.Errorf("larger than %d MiB", maxEnvelope>>20)
	}
	return proto.Unmarshal(raw, kind)
}

// unwrap parts a message from its children under the field number child. The order of fields in protobuf is free, so head
// is complete only after the whole message was read.
func unwrap(msg []byte, child protowire.Number) (head []byte, children iter.Seq[[]byte], err error) {
	for rest := msg; len(rest) > 0; {
		num, typ, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return nil, nil, protowire.ParseError(n)
		}
		size := protowire.ConsumeFieldValue(num, typ, rest[n:])
		if size < 0 {
			return nil, nil, protowire.ParseError(size)
		}
		if num != child || typ != protowire.BytesType {
			head = append(head, rest[:n+size]...)
		}
		rest = rest[n+size:]
	}
	return head, func(yield func([]byte) bool) {
		for rest := msg; len(rest) > 0; {
			num, typ, n := protowire.ConsumeTag(rest)
			size := protowire.ConsumeFieldValue(num, typ, rest[n:])
			if num == child && typ == protowire.BytesType {
				if value, _ := protowire.ConsumeBytes(rest[n:]); !yield(value) {
					return
				}
			}
			rest = rest[n+size:]
		}
	}, nil
}
