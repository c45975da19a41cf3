package store

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"math"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// CROSS JOIN keeps SQLite from starting at the spans.
const selectSpans = "SELECT t.id, s.otlp, s.resource, s.scope FROM trace t CROSS JOIN span s ON s.trace = t.id"

// A Filter chooses traces. Its zero value chooses all.
type Filter struct {
	Session      string    // traces of which a span names this session; "" for any
	Since, Until time.Time // traces whose first span started in [Since, Until); zero for no limit
	NewestFirst  bool      // by the start of the first span; otherwise the oldest comes first
}

// Traces reads the traces that may hold a question, a trace at a time, all as of one moment. Traces in which nothing has
// to do with questions are left out. An error ends the sequence. The spans of a trace are in no particular order.
func (s *Store) Traces(ctx context.Context, f Filter) iter.Seq2[[]model.Span, error] {
	query := selectSpans + " WHERE t.question AND t.start BETWEEN ? AND ?"
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if !f.Since.IsZero() {
		from = f.Since.UnixNano()
	}
	if !f.Until.IsZero() {
		to = f.Until.UnixNano() - 1
	}
	args := []any{from, to}
	if f.Session != "" {
		query += " AND t.id IN (SELECT trace FROM session WHERE name = ?)"
		args = append(args, f.Session)
	}
	if f.NewestFirst {
		query += " ORDER BY t.start DESC, t.id DESC"
	} else {
		query += " ORDER BY t.start, t.id"
	}
	return func(yield func([]model.Span, error) bool) {
		stopped := false
		err := s.inTx(ctx, func(tx *sql.Tx) error {
			return readTraces(ctx, tx, query, args, func(spans []model.Span) bool {
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
		return readTraces(ctx, tx, selectSpans+" WHERE t.trace_id = ?", []any{id[:]}, func(spans []model.Span) bool {
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

// readTraces runs a query whose rows are the spans of one trace after another.
func readTraces(ctx context.Context, tx *sql.Tx, query string, args []any, yield func([]model.Span) bool) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	around := envelopes{tx: tx, resources: map[int64]*model.Resource{}, scopes: map[int64]*model.Scope{}}
	var spans []model.Span
	var current int64
	for rows.Next() {
		var trace, resource, scope int64
		var raw sql.RawBytes
		if err := rows.Scan(&trace, &raw, &resource, &scope); err != nil {
			return err
		}
		if trace != current && spans != nil {
			if !yield(spans) {
				return nil
			}
			spans = nil
		}
		current = trace
		span, err := around.decode(ctx, raw, resource, scope)
		if err != nil {
			return err
		}
		spans = append(spans, span)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if spans != nil {
		yield(spans)
	}
	return nil
}

// envelopes decodes each resource and scope once.
type envelopes struct {
	tx        *sql.Tx
	resources map[int64]*model.Resource
	scopes    map[int64]*model.Scope
}

func (e *envelopes) decode(ctx context.Context, raw []byte, resource, scope int64) (model.Span, error) {
	r, err := lookup(ctx, e.tx, e.resources, resource, otlp.DecodeResource)
	if err != nil {
		return model.Span{}, err
	}
	s, err := lookup(ctx, e.tx, e.scopes, scope, otlp.DecodeScope)
	if err != nil {
		return model.Span{}, err
	}
	return otlp.DecodeSpan(raw, r, s)
}

func lookup[T any](ctx context.Context, tx *sql.Tx, known map[int64]*T, id int64, decode func([]byte) (*T, error)) (*T, error) {
	if v := known[id]; v != nil {
		return v, nil
	}
	var raw []byte
	err := tx.QueryRowContext(ctx, "SELECT otlp FROM envelope WHERE id = ?", id).Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errors.New("a span's resource or scope is missing: the file is damaged")
	}
	if err != nil {
		return nil, err
	}
	v, err := decode(raw)
	known[id] = v
	return v, err
}
