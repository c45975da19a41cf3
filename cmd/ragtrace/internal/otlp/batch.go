package otlp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A Batch is one request taken apart.
type Batch struct {
	Spans []Span
	// Refused counts the spans that cannot be kept, by the reason.
	Refused map[string]int
	Line    int // of the request's first key, from 1, in what ReadJSON read; 0 for protobuf
}

// A Span is one span as it came.
type Span struct {
	TraceID model.TraceID
	SpanID  model.SpanID
	Start   int64 // Unix nanoseconds; 0 when the sender gave none
	// Question is false when nothing on the span has to do with a question, or with work that questions are made of.
	Question bool
	Sessions []string  // the sessions that the span names, mostly none or one
	Resource *Envelope // shared between the spans of one resource; never nil
	Scope    *Envelope // likewise for the scope
	OTLP     []byte    // the span's protobuf
}

// An Envelope is what stands around spans: the protobuf of a ResourceSpans or ScopeSpans without what is in it, which
// leaves the resource or scope and its schema URL.
type Envelope struct{ OTLP []byte }

// Why spans are refused. Anything else, wrong times included, is kept: who diagnoses decides what it is worth.
const (
	badTraceID = "trace id is not 16 bytes or is zero"
	badSpanID  = "span id is not 8 bytes or is zero"
	malformed  = "malformed"
)

// add keeps the span raw, or counts it as refused.
func (b *Batch) add(raw []byte, resource, scope *Envelope) {
	var span tracepb.Span
	if err := proto.Unmarshal(raw, &span); err != nil {
		b.refuse(malformed)
		return
	}
	kept := Span{Start: nanos(span.StartTimeUnixNano), Resource: resource, Scope: scope, OTLP: raw}
	if !setID(kept.TraceID[:], span.TraceId) {
		b.refuse(badTraceID)
		return
	}
	if !setID(kept.SpanID[:], span.SpanId) {
		b.refuse(badSpanID)
		return
	}
	for _, kv := range span.Attributes {
		kept.mark(kv.GetKey(), kv.GetValue().GetStringValue())
	}
	b.Spans = append(b.Spans, kept)
}

// mark notes what one attribute says of the span. Reading takes the traces that may hold a question; which of them do is
// for the diagnosis to say. So here a whole vocabulary counts, and a key too many costs a trace read in vain.
func (s *Span) mark(key, value string) {
	switch key {
	case "gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id":
		if value != "" && !slices.Contains(s.Sessions, value) {
			s.Sessions = append(s.Sessions, value)
		}
	case "openinference.span.kind", "llm.request.type":
		s.Question = true
	default:
		if strings.HasPrefix(key, "ragtrace.") || strings.HasPrefix(key, "gen_ai.") {
			s.Question = true
		}
	}
}

func (b *Batch) refuse(reason string) {
	if b.Refused == nil {
		b.Refused = map[string]int{}
	}
	b.Refused[reason]++
}

// Refusal is the number of refused spans and the reasons in words, or 0 and "".
func (b *Batch) Refusal() (n int, reasons string) {
	var parts []string
	for reason, count := range b.Refused {
		n += count
		parts = append(parts, fmt.Sprintf("%d: %s", count, reason))
	}
	slices.Sort(parts)
	return n, strings.Join(parts, "; ")
}

// setID copies an id of the right length that is not zero.
func setID(dst, id []byte) bool {
	return len(id) == len(dst) && copy(dst, id) > 0 && slices.ContainsFunc(id, func(c byte) bool { return c != 0 })
}
