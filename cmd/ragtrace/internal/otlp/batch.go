package otlp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A Batch is one request taken apart.
type Batch struct {
	Spans []Span
	// Refused counts the spans that cannot be kept, by the reason.
	Refused   map[string]int
	most      int // spans; as many resources and scopes
	envelopes int
	Line      int // of the request's first key, from 1, in what ReadJSON read; 0 for protobuf
}

// A Span is one span as it came.
type Span struct {
	TraceID model.TraceID
	SpanID  model.SpanID
	Start   int64 // Unix nanoseconds; 0 when the sender gave none
	// Question is false when nothing on the span has to do with a question, or with work that questions are made of.
	Question bool
	Resource *Envelope // shared between the spans of one resource; never nil
	Scope    *Envelope // likewise for the scope
	OTLP     []byte    // the span's protobuf
}

// An Envelope is what stands around spans: the protobuf of a ResourceSpans or ScopeSpans without what is in it, which
// leaves the resource or scope and its schema URL.
type Envelope struct{ OTLP []byte }

// Add keeps a span, in protobuf, or counts it as refused. The batch has raw from then on.
func (b *Batch) Add(raw []byte, resource, scope *Envelope) {
	span, err := check(raw)
	if err == nil && b.most > 0 && len(b.Spans) >= b.most {
		err = fmt.Errorf("beyond the first %d spans of a request", b.most)
	}
	if err != nil {
		b.Refuse(err)
		return
	}
	span.Resource, span.Scope = resource, scope
	b.Spans = append(b.Spans, span)
}

// ofQuestion reports whether an attribute has to do with questions. Reading takes the traces that may hold one; which of
// them do is for the diagnosis to say. So here a whole vocabulary counts, and a key too many costs a trace read in vain.
func ofQuestion(key string) bool {
	switch key {
	case "openinference.span.kind", "llm.request.type", "langfuse.observation.type", "langwatch.span.type", "ai.operationId":
		return true
	}
	return strings.HasPrefix(key, "ragtrace.") || strings.HasPrefix(key, "gen_ai.")
}

// countEnvelope counts a resource or scope, and refuses to when there are too many of them.
func (b *Batch) countEnvelope() error {
	if b.envelopes++; b.envelopes > b.most {
		return fmt.Errorf("more than %d resources and scopes", b.most)
	}
	return nil
}

// Refuse counts a span that cannot be kept.
func (b *Batch) Refuse(reason error) {
	if b.Refused == nil {
		b.Refused = map[string]int{}
	}
	b.Refused[reason.Error()]++
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
