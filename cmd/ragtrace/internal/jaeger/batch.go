package jaeger

import (
	"errors"
	"fmt"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// The numbers of fields are those of idl/thrift/jaeger.thrift in https://github.com/jaegertracing/jaeger-idl

// What a span may be, before it is worth translating.
const (
	maxSpan = 4 << 20
	maxTags = 100_000 // those of its logs, and references, included
	// maxSpans is how many spans of a batch are kept.
	maxSpans = 1 << 16
)

var (
	errSize = fmt.Errorf("larger than %d MiB", maxSpan>>20)
	errTags = fmt.Errorf("more than %d tags", maxTags)
	errSpan = errors.New("malformed")
	errMany = fmt.Errorf("beyond the first %d spans of a request", maxSpans)
)

// Split takes apart a Batch of jaeger.thrift in Thrift's binary protocol. Spans that cannot be kept are counted in the
// batch; an error means that the message itself is broken.
func Split(message []byte) (*otlp.Batch, error) {
	b := &otlp.Batch{}
	var process *resourcepb.Resource
	var spans [][]byte
	r := &reader{b: message}
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == typeStruct:
			process = r.process()
		case id == 2 && typ == typeList:
			r.list(func() {
				// A span is only cut out here: its process may come after it, and one that is broken shall not take the others
				// with it.
				rest := r.b
				r.skip(typeStruct, 0)
				switch {
				case r.err != nil:
				case len(spans) == maxSpans:
					b.Refuse(errMany)
				default:
					spans = append(spans, rest[:len(rest)-len(r.b)])
				}
			})
		default:
			return false
		}
		return true
	})
	if r.err != nil {
		return nil, r.err
	}
	if process == nil {
		return nil, errors.New("the Thrift message holds no process: it is no batch of Jaeger")
	}
	resource, err := proto.Marshal(&tracepb.ResourceSpans{Resource: process})
	if err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	resourceEnvelope := &otlp.Envelope{OTLP: resource}
	scopes := map[scope]*otlp.Envelope{}
	for _, raw := range spans {
		if err := add(b, raw, resourceEnvelope, scopes); err != nil {
			b.Refuse(err)
		}
	}
	return b, nil
}

// A scope is the instrumentation that made a span, which Jaeger has in tags.
type scope struct{ name, version string }

func add(b *otlp.Batch, raw []byte, resource *otlp.Envelope, scopes map[scope]*otlp.Envelope) error {
	if len(raw) > maxSpan {
		return errSize
	}
	r := &reader{b: raw}
	span, by, err := r.span()
	if err != nil {
		return err
	}
	key := scope{by.Name, by.Version}
	if scopes[key] == nil {
		envelope, err := proto.Marshal(&tracepb.ScopeSpans{Scope: by})
		if err != nil {
			return errSpan
		}
		scopes[key] = &otlp.Envelope{OTLP: envelope}
	}
	translated, err := proto.Marshal(span)
	if err != nil { // a text that is no UTF-8
		return errSpan
	}
	b.Add(translated, resource, scopes[key])
	return nil
}

// process reads a Process.
func (r *reader) process() *resourcepb.Resource {
	p := &resourcepb.Resource{}
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == typeString:
			if name := r.string(); name != "" {
				p.Attributes = append(p.Attributes, &commonpb.KeyValue{Key: "service.name", Value: text(name)})
			}
		case id == 2 && typ == typeList:
			r.list(func() {
				if len(p.Attributes) > maxTags {
					r.fail(errTags)
				}
				p.Attributes = append(p.Attributes, r.tag())
			})
		default:
			return false
		}
		return true
	})
	return p
}

func text(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

// tag reads a Tag.
func (r *reader) tag() *commonpb.KeyValue {
	kv := &commonpb.KeyValue{}
	var kind int32
	var values [5]*commonpb.AnyValue // by TagType
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == typeString:
			kv.Key = r.string()
		case id == 2 && typ == typeI32:
			kind = r.i32()
		case id == 3 && typ == typeString:
			values[0] = text(r.string())
		case id == 4 && typ == typeDouble:
			values[1] = &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: r.double()}}
		case id == 5 && typ == typeBool:
			values[2] = &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: r.bool()}}
		case id == 6 && typ == typeI64:
			values[3] = &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: r.i64()}}
		case id == 7 && typ == typeString:
			values[4] = &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: r.bytes()}}
		default:
			return false
		}
		return true
	})
	if 0 <= kind && kind < int32(len(values)) {
		kv.Value = values[kind] // of a tag without its value: nothing
	}
	return kv
}
