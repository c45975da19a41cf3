package source

import (
	"io"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// traces are spans sorted into their traces, each span once. Its zero value is empty.
type traces struct {
	order   []model.TraceID // as they came first
	spans   map[model.TraceID][]model.Span
	seen    map[spanKey]bool
	refused int
}

type spanKey struct {
	trace model.TraceID
	span  model.SpanID
}

func (t *traces) add(spans []model.Span) {
	if t.spans == nil {
		t.spans, t.seen = map[model.TraceID][]model.Span{}, map[spanKey]bool{}
	}
	for _, s := range spans {
		key := spanKey{s.TraceID, s.SpanID}
		if t.seen[key] {
			continue
		}
		t.seen[key] = true
		unmend(&s)
		if t.spans[s.TraceID] == nil {
			t.order = append(t.order, s.TraceID)
		}
		t.spans[s.TraceID] = append(t.spans[s.TraceID], s)
	}
}

// read adds the spans of an answer of /api/v3.
func (t *traces) read(r io.Reader) error {
	for batch, err := range results(r) {
		if err != nil {
			return err
		}
		spans, err := batch.Decode()
		if err != nil {
			return err
		}
		refused, _ := batch.Refusal()
		t.refused += refused
		t.add(spans)
	}
	return nil
}
