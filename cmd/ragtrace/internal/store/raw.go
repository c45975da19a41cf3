package store

import (
	"bytes"
	"context"
	"database/sql"
	"iter"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// Raw reads spans as they came: those of the given traces, or of all traces, whatever they are, when none is given. A batch
// is a trace, and all are as of one moment, the oldest trace first or in the order in which they are given; what is not
// there is left out. Of each span there are its id, its protobuf, its resource and its scope. An error ends the sequence; a DamagedError comes when all else
// was read.
func (s *Store) Raw(ctx context.Context, traces ...model.TraceID) iter.Seq2[*otlp.Batch, error] {
	return func(yield func(*otlp.Batch, error) bool) {
		stopped := false
		err := s.inTx(ctx, func(tx *sql.Tx) error {
			envelopes := map[int64]*otlp.Envelope{}
			envelope := func(id int64) (*otlp.Envelope, error) {
				return lookup(ctx, tx, envelopes, id, func(raw []byte) (*otlp.Envelope, error) { return &otlp.Envelope{OTLP: raw}, nil })
			}
			convert := func(stored storedSpan) (span otlp.Span, err error) {
				span.SpanID, span.OTLP = stored.id, bytes.Clone(stored.otlp)
				if span.Resource, err = envelope(stored.resource); err == nil {
					span.Scope, err = envelope(stored.scope)
				}
				return span, err
			}
			visit := func(_ int64, spans []otlp.Span) bool {
				stopped = !yield(&otlp.Batch{Spans: spans}, nil)
				return !stopped
			}
			if len(traces) == 0 {
				return eachTrace(ctx, tx, selectChunks+" ORDER BY t.start, t.id, c.id", nil, convert, visit)
			}
			var damaged DamagedError
			for _, id := range traces {
				err := eachTrace(ctx, tx, selectChunks+" WHERE t.trace_id = ? ORDER BY c.id", []any{id[:]}, convert, visit)
				if err := damaged.join(err); err != nil || stopped {
					return err
				}
			}
			return damaged.orNil()
		})
		if err != nil && !stopped {
			yield(nil, s.fail("read store", err))
		}
	}
}

// SpanIDs are the ids of the spans that are there of a trace; none when it is not there.
func (s *Store) SpanIDs(ctx context.Context, trace model.TraceID) (ids []model.SpanID, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		convert := func(s storedSpan) (model.SpanID, error) { return s.id, nil }
		return eachTrace(ctx, tx, selectChunks+" WHERE t.trace_id = ? ORDER BY c.id", []any{trace[:]}, convert,
			func(_ int64, found []model.SpanID) bool {
				ids = found
				return true
			})
	})
	if err != nil {
		return nil, s.fail("read store", err)
	}
	return ids, nil
}
