package source

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// request is the trace in OTLP, with an error for each span that cannot be read. What OTLP has a field for and Jaeger a tag
// goes back into the field:
// https://opentelemetry.io/docs/specs/otel/trace/sdk_exporters/jaeger/
func (t *jaegerTrace) request() (*coltracepb.ExportTraceServiceRequest, []error) {
	request := &coltracepb.ExportTraceServiceRequest{}
	resources := map[string]*tracepb.ResourceSpans{}
	type scopeKey struct {
		of            *tracepb.ResourceSpans
		name, version string
	}
	scopes := map[scopeKey]*tracepb.ScopeSpans{}
	var bad []error
	for i, raw := range t.Spans {
		var s jaegerSpan
		if err := json.Unmarshal(raw, &s); err != nil {
			bad = append(bad, fmt.Errorf("span %d: %w", i+1, err))
			continue
		}
		span, scope, err := s.otlp()
		if err != nil {
			bad = append(bad, fmt.Errorf("span %d: %w", i+1, err))
			continue
		}
		resource := resources[s.ProcessID]
		if resource == nil || s.Process != nil {
			process := t.Processes[s.ProcessID]
			if s.Process != nil {
				process = *s.Process
			}
			made, err := process.otlp()
			if err != nil {
				bad = append(bad, fmt.Errorf("process %s: %w", s.ProcessID, err))
			}
			resource = &tracepb.ResourceSpans{Resource: made}
			resources[s.ProcessID] = resource
			request.ResourceSpans = append(request.ResourceSpans, resource)
		}
		key := scopeKey{resource, scope.Name, scope.Version}
		if scopes[key] == nil {
			scopes[key] = &tracepb.ScopeSpans{Scope: scope}
			resource.ScopeSpans = append(resource.ScopeSpans, scopes[key])
		}
		scopes[key].Spans = append(scopes[key].Spans, span)
	}
	return request, bad
}

func (p *jaegerProcess) otlp() (*resourcepb.Resource, error) {
	r := &resourcepb.Resource{}
	if p.ServiceName != "" {
		r.Attributes = []*commonpb.KeyValue{{Key: "service.name", Value: text(p.ServiceName)}}
	}
	attrs, err := attributes(p.Tags)
	r.Attributes = append(r.Attributes, attrs...)
	return r, err
}

func (s *jaegerSpan) otlp() (*tracepb.Span, *commonpb.InstrumentationScope, error) {
	scope := &commonpb.InstrumentationScope{}
	if s.StartTime > math.MaxUint64/2000 || s.Duration > math.MaxUint64/2000 {
		return nil, nil, fmt.Errorf("a time of %d µs + %d µs", s.StartTime, s.Duration)
	}
	span := &tracepb.Span{Name: s.OperationName, StartTimeUnixNano: s.StartTime * 1000, EndTimeUnixNano: (s.StartTime + s.Duration) * 1000}
	var err error
	if span.TraceId, err = jaegerID(s.TraceID, 16); err != nil {
		return nil, nil, err
	}
	if span.SpanId, err = jaegerID(s.SpanID, 8); err != nil {
		return nil, nil, err
	}
	if err := s.refer(span); err != nil {
		return nil, nil, err
	}
	all, err := attributes(s.Tags)
	if err != nil {
		return nil, nil, err
	}
	for _, kv := range all {
		if !setField(span, scope, kv.Key, kv.Value) {
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
			if name, ok := kv.Value.GetValue().(*commonpb.AnyValue_StringValue); ok && kv.Key == "event" && event.Name == "" {
				event.Name = name.StringValue
			} else {
				event.Attributes = append(event.Attributes, kv)
			}
		}
		span.Events = append(span.Events, event)
	}
	return span, scope, nil
}

// refer sets the parent, which is the first span of the same trace that s is a child of, and makes links of the others.
func (s *jaegerSpan) refer(span *tracepb.Span) (err error) {
	if s.ParentSpanID != "" {
		if span.ParentSpanId, err = jaegerID(s.ParentSpanID, 8); err != nil {
			return err
		}
	}
	for _, ref := range s.References {
		link := &tracepb.Span_Link{}
		if link.TraceId, err = jaegerID(ref.TraceID, 16); err != nil {
			return err
		}
		if link.SpanId, err = jaegerID(ref.SpanID, 8); err != nil {
			return err
		}
		if ref.RefType == "CHILD_OF" && len(span.ParentSpanId) == 0 && string(link.TraceId) == string(span.TraceId) {
			span.ParentSpanId = link.SpanId
			continue
		}
		if ref.RefType == "CHILD_OF" && string(link.SpanId) == string(span.ParentSpanId) {
			continue // the old field and the reference
		}
		span.Links = append(span.Links, link)
	}
	return nil
}

// setField sets what a tag says that OTLP has a field for.
func setField(span *tracepb.Span, scope *commonpb.InstrumentationScope, key string, value *commonpb.AnyValue) bool {
	s := value.GetStringValue()
	switch key {
	case "span.kind":
		kind, ok := tracepb.Span_SpanKind_value["SPAN_KIND_"+strings.ToUpper(s)]
		span.Kind = tracepb.Span_SpanKind(kind)
		return ok
	case "otel.status_code":
		code, ok := tracepb.Status_StatusCode_value["STATUS_CODE_"+s]
		status(span).Code = tracepb.Status_StatusCode(code)
		return ok
	case "error":
		// Jaeger adds it to a status that is an error, and older tracers have nothing else.
		failed := value.GetBoolValue() || s == "true"
		if failed {
			status(span).Code = tracepb.Status_STATUS_CODE_ERROR
		}
		return failed
	case "otel.status_description":
		status(span).Message = s
		return true
	case "w3c.tracestate":
		span.TraceState = s
		return true
	case "otel.scope.name", "otel.library.name":
		scope.Name = s
		return true
	case "otel.scope.version", "otel.library.version":
		scope.Version = s
		return true
	}
	return false
}

func status(span *tracepb.Span) *tracepb.Status {
	if span.Status == nil {
		span.Status = &tracepb.Status{}
	}
	return span.Status
}

// jaegerID reads an id of n bytes. Jaeger used to leave out leading zeros.
func jaegerID(s string, n int) ([]byte, error) {
	if len(s) > 2*n || s == "" {
		return nil, fmt.Errorf("%q is no id of %d hex digits", s, 2*n)
	}
	id, err := hex.DecodeString(strings.Repeat("0", 2*n-len(s)) + s)
	if err != nil {
		return nil, fmt.Errorf("%q is no id of %d hex digits", s, 2*n)
	}
	return id, nil
}

func attributes(tags []jaegerTag) ([]*commonpb.KeyValue, error) {
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

func (t *jaegerTag) otlp() (*commonpb.AnyValue, error) {
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

func text(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}
