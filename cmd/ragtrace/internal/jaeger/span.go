package jaeger

import (
	"encoding/binary"
	"math"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// A span is translated as OpenTelemetry says, the other way round: what OTLP has a field for and Jaeger a tag goes back into
// the field. https://opentelemetry.io/docs/specs/otel/trace/sdk_exporters/jaeger/

// span reads a Span.
func (r *reader) span() (*tracepb.Span, *commonpb.InstrumentationScope, error) {
	s, by := &tracepb.Span{}, &commonpb.InstrumentationScope{}
	var low, high, parent, start, duration int64
	var references []reference
	tags := 0
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == typeI64:
			low = r.i64()
		case id == 2 && typ == typeI64:
			high = r.i64()
		case id == 3 && typ == typeI64:
			s.SpanId = spanID(r.i64())
		case id == 4 && typ == typeI64:
			parent = r.i64()
		case id == 5 && typ == typeString:
			s.Name = r.string()
		case id == 6 && typ == typeList:
			r.list(func() { references = append(references, r.reference(&tags)) })
		case id == 7 && typ == typeI32:
			s.Flags = uint32(r.i32()) & 1 // sampled; debug has no place in OTLP
		case id == 8 && typ == typeI64:
			start = r.i64()
		case id == 9 && typ == typeI64:
			duration = r.i64()
		case id == 10 && typ == typeList:
			r.list(func() {
				if kv := r.countedTag(&tags); !setField(s, by, kv) {
					s.Attributes = append(s.Attributes, kv)
				}
			})
		case id == 11 && typ == typeList:
			r.list(func() { s.Events = append(s.Events, r.log(&tags)) })
		default:
			return false
		}
		return true
	})
	if r.err != nil {
		if r.err == errTags {
			return nil, nil, errTags
		}
		return nil, nil, errSpan
	}
	s.TraceId = traceID(high, low)
	if parent != 0 {
		s.ParentSpanId = spanID(parent)
	}
	s.StartTimeUnixNano = nanos(start)
	s.EndTimeUnixNano = s.StartTimeUnixNano
	if end := start + duration; (end >= start) == (duration >= 0) {
		s.EndTimeUnixNano = nanos(end)
	}
	refer(s, references)
	return s, by, nil
}

// nanos is microseconds in OTLP; what does not fit is a time that OTLP has no room for either.
func nanos(micros int64) uint64 {
	if micros < 0 || micros > math.MaxInt64/1000 {
		return math.MaxUint64
	}
	return uint64(micros) * 1000
}

func traceID(high, low int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(high)), uint64(low))
}

func spanID(id int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

// A reference is a SpanRef.
type reference struct {
	kind        int32
	trace, span []byte
}

// The kinds of references.
const (
	childOf     = 0
	followsFrom = 1
)

func (r *reader) reference(tags *int) reference {
	if *tags++; *tags > maxTags {
		r.fail(errTags)
	}
	var ref reference
	var low, high, span int64
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == typeI32:
			ref.kind = r.i32()
		case id == 2 && typ == typeI64:
			low = r.i64()
		case id == 3 && typ == typeI64:
			high = r.i64()
		case id == 4 && typ == typeI64:
			span = r.i64()
		default:
			return false
		}
		return true
	})
	ref.trace, ref.span = traceID(high, low), spanID(span)
	return ref
}

// refer makes the first span of the same trace that s is a child of its parent, where it has none, and links of the others.
func refer(s *tracepb.Span, references []reference) {
	for _, ref := range references {
		same := string(ref.trace) == string(s.TraceId)
		if same && ref.kind == childOf && len(s.ParentSpanId) == 0 {
			s.ParentSpanId = ref.span
		}
		if same && string(ref.span) == string(s.ParentSpanId) {
			continue // clients set the field beside the reference
		}
		kind := "follows_from"
		if ref.kind == childOf {
			kind = "child_of"
		}
		s.Links = append(s.Links, &tracepb.Span_Link{TraceId: ref.trace, SpanId: ref.span, Attributes: []*commonpb.KeyValue{
			{Key: "opentracing.ref_type", Value: text(kind)},
		}})
	}
}

// log reads a Log.
func (r *reader) log(tags *int) *tracepb.Span_Event {
	e := &tracepb.Span_Event{}
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == typeI64:
			e.TimeUnixNano = nanos(r.i64())
		case id == 2 && typ == typeList:
			r.list(func() { addField(e, r.countedTag(tags)) })
		default:
			return false
		}
		return true
	})
	return e
}

// addField adds a field of a log. The one that names what happened names the event.
func addField(e *tracepb.Span_Event, kv *commonpb.KeyValue) {
	if name, ok := kv.GetValue().GetValue().(*commonpb.AnyValue_StringValue); ok && kv.Key == "event" && e.Name == "" {
		e.Name = name.StringValue
	} else {
		e.Attributes = append(e.Attributes, kv)
	}
}

func (r *reader) countedTag(tags *int) *commonpb.KeyValue {
	if *tags++; *tags > maxTags {
		r.fail(errTags)
	}
	return r.tag()
}

// setField sets what a tag says that OTLP has a field for.
func setField(s *tracepb.Span, by *commonpb.InstrumentationScope, kv *commonpb.KeyValue) bool {
	value := kv.GetValue().GetStringValue()
	switch kv.Key {
	case "span.kind":
		kind, ok := tracepb.Span_SpanKind_value["SPAN_KIND_"+strings.ToUpper(value)]
		if ok {
			s.Kind = tracepb.Span_SpanKind(kind)
		}
		return ok
	case "otel.status_code":
		code, ok := tracepb.Status_StatusCode_value["STATUS_CODE_"+value]
		if ok {
			status(s).Code = tracepb.Status_StatusCode(code)
		}
		return ok
	case "error":
		failed := kv.GetValue().GetBoolValue() || value == "true"
		if failed {
			status(s).Code = tracepb.Status_STATUS_CODE_ERROR
		}
		return failed
	case "otel.status_description":
		status(s).Message = value
		return true
	case "w3c.tracestate":
		s.TraceState = value
		return true
	case "otel.scope.name", "otel.library.name":
		by.Name = value
		return true
	case "otel.scope.version", "otel.library.version":
		by.Version = value
		return true
	}
	return false
}

func status(s *tracepb.Span) *tracepb.Status {
	if s.Status == nil {
		s.Status = &tracepb.Status{}
	}
	return s.Status
}
