package jaeger

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// batch is the trace in OTLP, with an error for each span that cannot be read.
func (t *jsonTrace) batch() (*otlp.Batch, []error) {
	b := &otlp.Batch{}
	resources := map[string]*otlp.Envelope{}
	scopes := map[scope]*otlp.Envelope{}
	var bad []error
	for i, raw := range t.Spans {
		var s jsonSpan
		err := json.Unmarshal(raw, &s)
		if err == nil {
			err = t.add(b, &s, resources, scopes)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("span %d: %w", i+1, err))
		}
	}
	return b, bad
}

// add adds a span to the batch. When only its process is broken, the span is added with the rest of that, and the error is
// told once.
func (t *jsonTrace) add(b *otlp.Batch, s *jsonSpan, resources map[string]*otlp.Envelope, scopes map[scope]*otlp.Envelope) error {
	var broken error
	resource := resources[s.ProcessID]
	if resource == nil || s.Process != nil {
		process := t.Processes[s.ProcessID]
		if s.Process != nil {
			process = *s.Process
		}
		made, err := process.otlp()
		if err != nil {
			broken = fmt.Errorf("process %s: %w", s.ProcessID, err)
		}
		if resource, err = envelope(&tracepb.ResourceSpans{Resource: made}); err != nil {
			return err
		}
		resources[s.ProcessID] = resource
	}
	span, by, err := s.otlp()
	if err != nil {
		return err
	}
	key := scope{by.Name, by.Version}
	if scopes[key] == nil {
		if scopes[key], err = envelope(&tracepb.ScopeSpans{Scope: by}); err != nil {
			return err
		}
	}
	raw, err := proto.Marshal(span)
	if err != nil {
		return err
	}
	b.Add(raw, resource, scopes[key])
	return broken
}

func envelope(m proto.Message) (*otlp.Envelope, error) {
	raw, err := proto.Marshal(m)
	return &otlp.Envelope{OTLP: raw}, err
}

func (p *jsonProcess) otlp() (*resourcepb.Resource, error) {
	r := &resourcepb.Resource{}
	if p.ServiceName != "" {
		r.Attributes = []*commonpb.KeyValue{{Key: "service.name", Value: text(p.ServiceName)}}
	}
	attrs, err := attributes(p.Tags)
	r.Attributes = append(r.Attributes, attrs...)
	return r, err
}

func (s *jsonSpan) otlp() (*tracepb.Span, *commonpb.InstrumentationScope, error) {
	by := &commonpb.InstrumentationScope{}
	if s.StartTime > math.MaxUint64/2000 || s.Duration > math.MaxUint64/2000 {
		return nil, nil, fmt.Errorf("a time of %d µs + %d µs", s.StartTime, s.Duration)
	}
	span := &tracepb.Span{Name: s.OperationName, StartTimeUnixNano: s.StartTime * 1000, EndTimeUnixNano: (s.StartTime + s.Duration) * 1000}
	var err error
	if span.TraceId, err = jsonID(s.TraceID, 16); err != nil {
		return nil, nil, err
	}
	if span.SpanId, err = jsonID(s.SpanID, 8); err != nil {
		return nil, nil, err
	}
	if s.ParentSpanID != "" {
		if span.ParentSpanId, err = jsonID(s.ParentSpanID, 8); err != nil {
			return nil, nil, err
		}
	}
	var references []reference
	for _, ref := range s.References {
		r, err := ref.read()
		if err != nil {
			return nil, nil, err
		}
		references = append(references, r)
	}
	refer(span, references)
	all, err := attributes(s.Tags)
	if err != nil {
		return nil, nil, err
	}
	for _, kv := range all {
		if !setField(span, by, kv) {
			span.Attributes = append(span.Attributes, kv)
		}
	}
	for _, l := range s.Logs {
		event := &tracepb.Span_Event{TimeUnixNano: l.Timestamp * 1000}
		fields, err := attributes(l.Fields)
		if err != nil {
			return nil, nil, err
		}
		for _, kv := range fields {
			addField(event, kv)
		}
		span.Events = append(span.Events, event)
	}
	return span, by, nil
}

func (r *jsonReference) read() (ref reference, err error) {
	if r.RefType != "CHILD_OF" {
		ref.kind = followsFrom
	}
	if ref.trace, err = jsonID(r.TraceID, 16); err == nil {
		ref.span, err = jsonID(r.SpanID, 8)
	}
	return ref, err
}

// jsonID reads an id of n bytes. Jaeger used to leave out leading zeros.
func jsonID(s string, n int) ([]byte, error) {
	if len(s) > 2*n || s == "" {
		return nil, fmt.Errorf("%q is no id of %d hex digits", s, 2*n)
	}
	id, err := hex.DecodeString(strings.Repeat("0", 2*n-len(s)) + s)
	if err != nil {
		return nil, fmt.Errorf("%q is no id of %d hex digits", s, 2*n)
	}
	return id, nil
}

func attributes(tags []jsonTag) ([]*commonpb.KeyValue, error) {
	var all []*commonpb.KeyValue
	for _, tag := range tags {
		value, err := tag.otlp()
		if err != nil {
			return nil, fmt.Errorf("tag %q: %w", tag.Key, err)
		}
		all = append(all, &commonpb.KeyValue{Key: tag.Key, Value: value})
	}
	return all, nil
}

func (t *jsonTag) otlp() (*commonpb.AnyValue, error) {
	switch t.Type {
	case "bool":
		var b bool
		err := json.Unmarshal(t.Value, &b)
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: b}}, err
	case "int64":
		// One that JavaScript cannot hold comes as a string.
		n, err := strconv.ParseInt(strings.Trim(string(t.Value), `"`), 10, 64)
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: n}}, err
	case "float64":
		f, err := strconv.ParseFloat(strings.Trim(string(t.Value), `"`), 64)
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: f}}, err
	case "binary":
		var b []byte
		err := json.Unmarshal(t.Value, &b)
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: b}}, err
	}
	var s string
	if err := json.Unmarshal(t.Value, &s); err != nil {
		return text(string(t.Value)), nil // of no type that is known: as it stands
	}
	return text(s), nil
}
