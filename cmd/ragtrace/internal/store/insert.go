package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// An inserter writes over one connection.
type inserter struct {
	conn            *sql.Conn
	now             func() time.Time
	prepared        map[string]*sql.Stmt
	known           map[envelopeHash]knownEnvelope
	content, packed []byte // kept for their memory
}

func newInserter(conn *sql.Conn) *inserter {
	return &inserter{conn: conn, now: time.Now, prepared: map[string]*sql.Stmt{}, known: map[envelopeHash]knownEnvelope{}}
}

func (in *inserter) close() {
	for _, stmt := range in.prepared {
		stmt.Close()
	}
}

// prepare prepares a statement the first time that it is asked for.
func (in *inserter) prepare(query string) (*sql.Stmt, error) {
	stmt := in.prepared[query]
	if stmt == nil {
		var err error
		if stmt, err = in.conn.PrepareContext(context.Background(), query); err != nil {
			return nil, err
		}
		in.prepared[query] = stmt
	}
	return stmt, nil
}

// exec runs a statement and tells how many rows it changed.
func (in *inserter) exec(query string, args ...any) (rows int64, err error) {
	stmt, err := in.prepare(query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.Exec(args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// get runs a statement that returns one row.
func (in *inserter) get(query string, args []any, row ...any) error {
	stmt, err := in.prepare(query)
	if err != nil {
		return err
	}
	return stmt.QueryRow(args...).Scan(row...)
}

// inTx runs work in one transaction: all of it, or after an error nothing.
func (in *inserter) inTx(work func() error) error {
	ctx := context.Background()
	if _, err := in.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := work()
	if err == nil {
		_, err = in.conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		clear(in.known)
		// On some errors SQLite has rolled back already, and says so here.
		in.conn.ExecContext(ctx, "ROLLBACK")
	}
	return err
}

// An arrival is what one group has of one trace.
type arrival struct {
	start    int64
	question bool
	spans    []*otlp.Span
}

// spans writes a group of batches.
func (in *inserter) spans(group []*pending) error {
	traces := map[model.TraceID]*arrival{}
	for _, p := range group {
		for i := range p.spans {
			s := &p.spans[i]
			t := traces[s.TraceID]
			if t == nil {
				t = &arrival{start: math.MaxInt64}
				traces[s.TraceID] = t
			}
			if s.Start > 0 {
				t.start = min(t.start, s.Start)
			}
			t.question = t.question || s.Question
			t.spans = append(t.spans, s)
		}
	}
	envelopes := map[*otlp.Envelope]int64{}
	// By start, and so are their rows and what is read of them later.
	order := slices.SortedFunc(maps.Keys(traces), func(a, b model.TraceID) int {
		return cmp.Or(cmp.Compare(traces[a].start, traces[b].start), slices.Compare(a[:], b[:]))
	})
	for _, id := range order {
		if err := in.trace(id, traces[id], envelopes); err != nil {
			return err
		}
	}
	return nil
}

const (
	addTrace = `INSERT INTO trace (trace_id, start, question, came, seen, chunks, spans) VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6)
		ON CONFLICT (trace_id) DO UPDATE SET start = min(start, ?2), question = max(question, ?3), seen = max(seen, ?4),
			chunks = chunks + ?5, spans = spans + ?6
		RETURNING id, chunks, question`
	addChunk    = "INSERT INTO chunk (id, data) VALUES (?, ?)"
	markChanged = `INSERT INTO changed (trace, at, version) VALUES (?1, ?2, ?3)
		ON CONFLICT (trace) DO UPDATE SET at = ?2, version = version + 1`
)

func (in *inserter) trace(id model.TraceID, t *arrival, envelopes map[*otlp.Envelope]int64) error {
	now := in.now()
	parts := in.parts(t.spans)
	var row, chunks int64
	var question bool
	err := in.get(addTrace, []any{id[:], t.start, t.question, now.Unix(), len(parts), len(t.spans)}, &row, &chunks, &question)
	if err != nil {
		return err
	}
	if chunks > 1<<placeBits {
		return errPlace
	}
	next := row<<placeBits | (chunks - int64(len(parts)))
	for _, part := range parts {
		in.content = in.content[:0]
		for _, s := range part {
			stored := storedSpan{id: s.SpanID, otlp: s.OTLP}
			if stored.resource, err = in.envelope(envelopes, s.Resource, now); err != nil {
				return err
			}
			if stored.scope, err = in.envelope(envelopes, s.Scope, now); err != nil {
				return err
			}
			in.content = appendSpan(in.content, stored)
		}
		if err := in.chunk(next); err != nil {
			return err
		}
		next++
	}
	if question {
		if _, err := in.exec(markChanged, row, now.UnixMilli(), now.UnixNano()); err != nil {
			return err
		}
	}
	return in.mayMerge(row, chunks)
}

// parts divides spans into chunks.
func (in *inserter) parts(spans []*otlp.Span) [][]*otlp.Span {
	var parts [][]*otlp.Span
	first, size := 0, 0
	for i, s := range spans {
		if size += len(s.OTLP); size >= fullChunk {
			parts = append(parts, spans[first:i+1])
			first, size = i+1, 0
		}
	}
	if first < len(spans) {
		parts = append(parts, spans[first:])
	}
	return parts
}

// chunk writes the content that was gathered.
func (in *inserter) chunk(id int64) error {
	in.packed = pack(in.packed, in.content)
	_, err := in.exec(addChunk, id, in.packed)
	if cap(in.content) > fullChunk { // a large one is rare
		in.content, in.packed = nil, nil
	}
	return err
}

// A trace whose spans come one by one has many small chunks. From manyChunks on they are merged when they hold less than
// smallChunk on average, so that every span is written again about as often as it would be in any other order.
const (
	manyChunks = 16
	smallChunk = 32 << 10
)

// mayMerge merges the chunks of a trace when there are too many of them. Spans that came twice are gone then.
func (in *inserter) mayMerge(trace, chunks int64) error {
	if chunks < manyChunks || chunks%manyChunks != 0 {
		return nil
	}
	first, last := trace<<placeBits, (trace+1)<<placeBits-1
	var n, size int64
	err := in.get("SELECT count(*), coalesce(sum(length(data)), 0) FROM chunk WHERE id BETWEEN ? AND ?", []any{first, last}, &n, &size)
	if err != nil || n < manyChunks || size/n >= smallChunk {
		return err
	}
	spans, err := in.chunkSpans(first, last)
	if isDamage(err) {
		return nil // it stays as it is, and what came now is kept beside it
	}
	if err != nil {
		return err
	}
	if _, err := in.exec("DELETE FROM chunk WHERE id BETWEEN ? AND ?", first, last); err != nil {
		return err
	}
	next := first
	in.content = in.content[:0]
	for i, s := range spans {
		in.content = appendSpan(in.content, s)
		if len(in.content) < fullChunk && i < len(spans)-1 {
			continue
		}
		if err := in.chunk(next); err != nil {
			return err
		}
		in.content = in.content[:0]
		next++
	}
	_, err = in.exec("UPDATE trace SET chunks = ?, spans = ? WHERE id = ?", next-first, len(spans), trace)
	return err
}

// chunkSpans reads the spans of chunks, each once.
func (in *inserter) chunkSpans(first, last int64) ([]storedSpan, error) {
	rows, err := in.conn.QueryContext(context.Background(), "SELECT data FROM chunk WHERE id BETWEEN ? AND ? ORDER BY id", first, last)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var spans []storedSpan
	seen := map[model.SpanID]bool{}
	for rows.Next() {
		var chunk sql.RawBytes
		if err := rows.Scan(&chunk); err != nil {
			return nil, err
		}
		content, err := unpack(nil, chunk)
		if err != nil {
			return nil, err
		}
		err = eachSpan(content, func(s storedSpan) error {
			if !seen[s.id] {
				seen[s.id] = true
				spans = append(spans, s)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return spans, errors.Join(rows.Err(), rows.Close())
}
