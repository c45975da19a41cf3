package tracertest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tree draws the ended spans, a line each: the name, the kind unless it is internal, "error" when the span failed, and
// those of the given attributes that it has. Children stand below their parent in the order of their start. A span whose
// parent was not recorded is a root.
//
//	question server
//	├─ embeddings nomic client
//	└─ chat llama3.2 client error error.type=503
func (r *Recorder) Tree(keys ...attribute.Key) string {
	spans := r.Ended()
	slices.SortStableFunc(spans, func(a, b sdktrace.ReadOnlySpan) int {
		return cmp.Or(a.StartTime().Compare(b.StartTime()), a.EndTime().Compare(b.EndTime()))
	})
	known := make(map[trace.SpanID]bool)
	for _, s := range spans {
		known[s.SpanContext().SpanID()] = true
	}
	children := make(map[trace.SpanID][]sdktrace.ReadOnlySpan)
	for _, s := range spans {
		parent := s.Parent().SpanID()
		if !known[parent] {
			parent = trace.SpanID{}
		}
		children[parent] = append(children[parent], s)
	}
	var b strings.Builder
	for _, root := range children[trace.SpanID{}] {
		draw(&b, root, children, keys, "", "")
	}
	return b.String()
}

// draw writes a span and what is below it; first stands before its own line, rest before the others.
func draw(b *strings.Builder, s sdktrace.ReadOnlySpan, children map[trace.SpanID][]sdktrace.ReadOnlySpan, keys []attribute.Key, first, rest string) {
	b.WriteString(first + s.Name())
	if k := s.SpanKind(); k != trace.SpanKindInternal {
		b.WriteString(" " + k.String())
	}
	if s.Status().Code == codes.Error {
		b.WriteString(" error")
	}
	for _, k := range keys {
		if v := Value(s, k); v.Type() != attribute.EMPTY {
			fmt.Fprintf(b, " %s=%s", k, v.String())
		}
	}
	b.WriteByte('\n')
	below := children[s.SpanContext().SpanID()]
	for i, c := range below {
		if i == len(below)-1 {
			draw(b, c, children, keys, rest+"└─ ", rest+"   ")
		} else {
			draw(b, c, children, keys, rest+"├─ ", rest+"│  ")
		}
	}
}
