package otlp

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// What a span may be. A few bytes of protobuf can stand for a hundred times their size once they are decoded, so the number
// of values is bounded beside the size.
const (
	maxSpan       = 4 << 20
	maxSpanValues = 100_000 // attributes, elements of arrays and maps, events, links
	maxDepth      = 128     // of messages; an array in an array is two deeper
	maxEnvelope   = 1 << 20
)

// Why spans are refused. Anything else is kept, an end that is before the start or at no time at all included: who diagnoses
// tells of it.
var (
	errMalformed = errors.New("malformed")
	errTraceID   = errors.New("trace id is not 16 bytes or is zero")
	errSpanID    = errors.New("span id is not 8 bytes or is zero")
	errTime      = errors.New("start is not between 1970 and 2262")
	errSize      = fmt.Errorf("larger than %d MiB", maxSpan>>20)
	errValues    = fmt.Errorf("more than %d attributes, events and links", maxSpanValues)
	errDepth     = errors.New("values are nested too deep")
)

// A message says which fields of a protobuf message are texts, which must be UTF-8, and which are messages. The rest needs
// no check. See opentelemetry/proto/trace/v1/trace.proto and common/v1/common.proto.
type message struct {
	texts    []protowire.Number
	messages map[protowire.Number]*message
}

var (
	anyValue = &message{texts: []protowire.Number{1}}
	keyValue = &message{texts: []protowire.Number{1}, messages: map[protowire.Number]*message{2: anyValue}}
	event    = &message{texts: []protowire.Number{2}, messages: map[protowire.Number]*message{3: keyValue}}
	link     = &message{texts: []protowire.Number{3}, messages: map[protowire.Number]*message{4: keyValue}}
	status   = &message{texts: []protowire.Number{2}}
	spanType = &message{
		texts:    []protowire.Number{3, 5},
		messages: map[protowire.Number]*message{fieldAttributes: keyValue, 11: event, 13: link, 15: status},
	}
)

func init() {
	// A value can hold values.
	anyValue.messages = map[protowire.Number]*message{
		5: {messages: map[protowire.Number]*message{1: anyValue}}, // ArrayValue
		6: {messages: map[protowire.Number]*message{1: keyValue}}, // KeyValueList
	}
}

// The fields of a span that are looked into.
const (
	fieldTraceID    = 1
	fieldSpanID     = 2
	fieldStart      = 7
	fieldAttributes = 9
)

// check looks a span through, without decoding it, and takes from it what a store has to know. A span that passes can be
// decoded.
func check(raw []byte) (s Span, err error) {
	if len(raw) > maxSpan {
		return s, errSize
	}
	values := 0
	if err := spanType.check(raw, &values, 0); err != nil {
		return s, err
	}
	var traceID, spanID []byte
	var start uint64
	for rest := raw; len(rest) > 0; {
		num, typ, n := protowire.ConsumeTag(rest)
		rest = rest[n:]
		value := rest[:protowire.ConsumeFieldValue(num, typ, rest)]
		rest = rest[len(value):]
		switch {
		case typ == protowire.BytesType && num == fieldTraceID:
			traceID, _ = protowire.ConsumeBytes(value)
		case typ == protowire.BytesType && num == fieldSpanID:
			spanID, _ = protowire.ConsumeBytes(value)
		case typ == protowire.BytesType && num == fieldAttributes && !s.Question:
			attribute, _ := protowire.ConsumeBytes(value)
			s.Question = ofQuestion(key(attribute))
		case typ == protowire.Fixed64Type && num == fieldStart:
			start, _ = protowire.ConsumeFixed64(value)
		}
	}
	switch {
	case !setID(s.TraceID[:], traceID):
		return s, errTraceID
	case !setID(s.SpanID[:], spanID):
		return s, errSpanID
	case start > math.MaxInt64:
		return s, errTime
	}
	s.Start, s.OTLP = int64(start), raw
	return s, nil
}

// check reports whether raw is a message of its kind, and counts what is in it.
func (m *message) check(raw []byte, values *int, depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	for len(raw) > 0 {
		num, typ, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return errMalformed
		}
		raw = raw[n:]
		size := protowire.ConsumeFieldValue(num, typ, raw)
		if size < 0 {
			return errMalformed
		}
		if typ == protowire.BytesType {
			if inner := m.messages[num]; inner != nil {
				if *values++; *values > maxSpanValues {
					return errValues
				}
				content, _ := protowire.ConsumeBytes(raw)
				if err := inner.check(content, values, depth+1); err != nil {
					return err
				}
			} else if slices.Contains(m.texts, num) {
				if text, _ := protowire.ConsumeBytes(raw); !utf8.Valid(text) {
					return errMalformed
				}
			}
		}
		raw = raw[size:]
	}
	return nil
}

// key is the key of an attribute that was checked.
func key(attribute []byte) (key string) {
	for len(attribute) > 0 {
		num, typ, n := protowire.ConsumeTag(attribute)
		attribute = attribute[n:]
		if num == 1 && typ == protowire.BytesType {
			text, _ := protowire.ConsumeBytes(attribute)
			key = string(text)
		}
		attribute = attribute[protowire.ConsumeFieldValue(num, typ, attribute):]
	}
	return key
}
