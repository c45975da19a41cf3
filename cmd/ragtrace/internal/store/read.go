package store

import (
	"context"
	"database/sql"
	"iter"
	"math"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// CROSS JOIN keeps SQLite from starting at the chunks.
const selectChunks = "SELECT t.id, t.trace_id, c.data FROM trace t CROSS JOIN chunk c ON c.id BETWEEN t.id << 24 AND (t.id + 1 << 24) - 1"

// A Filter chooses traces. Its zero value chooses all.
type Filter struct {
	Since, Until time.Time // traces whose first span started in [Since, Until); zero for no limit
	NewestFirst  bool      // by the start of the first span; otherwise the oldest comes first
}

// bounds are the limits of a time range in Unix nanoseconds, both included.
func bounds(since, until time.Time) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if !since.IsZero() {
		from = since.UnixNano()
	}
	if !until.IsZero() {
		to = until.UnixNano() - 1
	}
	return from, to
}

// Traces reads the traces that may hold a question, a trace at a time, all as of one moment. Traces in which nothing has
// to do with questions are left out. An error ends the sequence; a DamagedError comes when all else was read. The spans of a
// trace are in no particular order.
func (s *Store) Traces(ctx context.Context, f Filter) iter.Seq2[[]model.Span, error] {
	query := selectChunks + " WHERE t.question AND t.start BETWEEN ? AND ? ORDER BY t.start, t.id, c.id"
	if f.NewestFirst {
		query = selectChunks + " WHERE t.question AND t.start BETWEEN ? AND ? ORDER BY t.start DESC, t.id DESC, c.id"
	}
	from, to := bounds(f.Since, f.Until)
	return func(yield func([]model.Span, error) bool) {
		stopped := false
		err := s.inTx(ctx, func(tx *sql.Tx) error {
			return readTraces(ctx, tx, query, []any{from, to}, func(_ int64, spans []model.Span) bool {
				stopped = !yield(spans, nil)
				return !stopped
			})
		})
		if err != nil && !stopped {
			yield(nil, s.fail("read store", err))
		}
	}
}

// Trace reads the spans of one trace, whatever it is. The error is ErrNotFound when there is none.
func (s *Store) Trace(ctx context.Context, id model.TraceID) ([]model.Span, error) {
	var found []model.Span
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		return readTraces(ctx, tx, selectChunks+" WHERE t.trace_id = ? ORDER BY c.id", []any{id[:]}, func(_ int64, spans []model.Span) bool {
			found = spans
			return true
		})
	})
	if err != nil {
		return nil, s.fail("read store", err)
	}
	if found == nil {
		return nil, ErrNotFound
	}
	return found, nil
}

// readTraces runs a query whose rows are the chunks of one trace after another, and yields each trace's row and spans.
func readTraces(ctx context.Context, tx *sql.Tx, query string, args []any, yield func(int64, []model.Span) bool) error {
	around := newEnvelopes(tx)
	return eachTrace(ctx, tx, query, args, func(s storedSpan) (model.Span, error) { return around.decode(ctx, s) }, yield)
}

// eachTrace is readTraces for spans in any form: convert makes it of what is stored, which it must not keep. Traces that
// are damaged are left out; the error that names them comes when the others are through.
func eachTrace[T any](ctx context.Context, tx *sql.Tx, query string, args []any, convert func(storedSpan) (T, error), yield func(int64, []T) bool) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var content []byte
	var spans []T
	var current, broken int64
	var damaged DamagedError
	seen := map[model.SpanID]bool{}
	for rows.Next() {
		var trace int64
		var id, chunk sql.RawBytes
		if err := rows.Scan(&trace, &id, &chunk); err != nil {
			return err
		}
		if trace == broken {
			continue
		}
		if trace != current && spans != nil {
			if !yield(current, spans) {
				return nil
			}
			spans = nil
			clear(seen)
		}
		current = trace
		unpacked, err := unpack(content, chunk)
		if err == nil {
			content = unpacked // for its memory
			err = eachSpan(content, func(s storedSpan) error {
				if seen[s.id] { // delivered twice
					return nil
				}
				seen[s.id] = true
				span, err := convert(s)
				spans = append(spans, span)
				return err
			})
		}
		if isDamage(err) {
			damaged.add(trace, model.TraceID(append(make([]byte, 0, 16), id...)))
			broken, spans = trace, nil
			clear(seen)
		} else if err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if spans != nil && !yield(current, spans) {
		return nil
	}
	return damaged.orNil()
}
