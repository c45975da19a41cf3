package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"math"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// maxKnown bounds the envelopes whose row ids are remembered. A process has one resource and a handful of scopes.
const maxKnown = 4096

// An inserter writes groups of batches over one connection.
type inserter struct {
	conn  *sql.Conn
	known map[[sha256.Size]byte]int64 // rows of envelopes

	findTrace, addTrace, updateTrace *sql.Stmt
	findEnvelope, addEnvelope        *sql.Stmt
	addSpan, addSession              *sql.Stmt
}

func newInserter(ctx context.Context, conn *sql.Conn) (*inserter, error) {
	in := &inserter{conn: conn, known: map[[sha256.Size]byte]int64{}}
	for stmt, query := range map[**sql.Stmt]string{
		&in.findTrace:    "SELECT id, start, question FROM trace WHERE trace_id = ?",
		&in.addTrace:     "INSERT INTO trace (trace_id, start, question) VALUES (?, ?, ?)",
		&in.updateTrace:  "UPDATE trace SET start = ?, question = ? WHERE id = ?",
		&in.findEnvelope: "SELECT id FROM envelope WHERE hash = ?",
		&in.addEnvelope:  "INSERT INTO envelope (hash, otlp) VALUES (?, ?)",
		&in.addSpan:      "INSERT INTO span (trace, span_id, resource, scope, otlp) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		&in.addSession:   "INSERT INTO session (name, trace) VALUES (?, ?) ON CONFLICT DO NOTHING",
	} {
		var err error
		if *stmt, err = conn.PrepareContext(ctx, query); err != nil {
			in.close()
			return nil, err
		}
	}
	return in, nil
}

func (in *inserter) close() {
	for _, stmt := range []*sql.Stmt{in.findTrace, in.addTrace, in.updateTrace, in.findEnvelope, in.addEnvelope, in.addSpan, in.addSession} {
		if stmt != nil {
			stmt.Close()
		}
	}
}

// group writes a group in one transaction: all of it, or after an error nothing.
func (in *inserter) group(group []*pending) error {
	ctx := context.Background()
	if _, err := in.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := in.spans(group)
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

// A traceRow is what one group has to say of one trace.
type traceRow struct {
	id       int64
	start    int64
	question bool
	sessions map[string]bool
}

func (in *inserter) spans(group []*pending) error {
	traces := map[model.TraceID]*traceRow{}
	for _, p := range group {
		for i := range p.spans {
			s := &p.spans[i]
			t := traces[s.TraceID]
			if t == nil {
				t = &traceRow{start: math.MaxInt64}
				traces[s.TraceID] = t
			}
			if s.Start > 0 {
				t.start = min(t.start, s.Start)
			}
			t.question = t.question || s.Question
			for _, name := range s.Sessions {
				if t.sessions == nil {
					t.sessions = map[string]bool{}
				}
				t.sessions[name] = true
			}
		}
	}
	for id, t := range traces {
		if err := in.trace(id, t); err != nil {
			return err
		}
	}
	envelopes := map[*otlp.Envelope]int64{}
	for _, p := range group {
		for i := range p.spans {
			s := &p.spans[i]
			resource, err := in.envelope(envelopes, s.Resource)
			if err != nil {
				return err
			}
			scope, err := in.envelope(envelopes, s.Scope)
			if err != nil {
				return err
			}
			if _, err := in.addSpan.Exec(traces[s.TraceID].id, s.SpanID[:], resource, scope, s.OTLP); err != nil {
				return err
			}
		}
	}
	return nil
}

// trace finds or adds the row of a trace and brings it up to date.
func (in *inserter) trace(id model.TraceID, t *traceRow) error {
	var start int64
	var question bool
	err := in.findTrace.QueryRow(id[:]).Scan(&t.id, &start, &question)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		res, err := in.addTrace.Exec(id[:], t.start, t.question)
		if err != nil {
			return err
		}
		if t.id, err = res.LastInsertId(); err != nil {
			return err
		}
	case err != nil:
		return err
	case t.start < start || t.question && !question:
		if _, err := in.updateTrace.Exec(min(t.start, start), t.question || question, t.id); err != nil {
			return err
		}
	}
	for name := range t.sessions {
		if _, err := in.addSession.Exec(name, t.id); err != nil {
			return err
		}
	}
	return nil
}

// envelope finds or adds the row of an envelope.
func (in *inserter) envelope(seen map[*otlp.Envelope]int64, e *otlp.Envelope) (int64, error) {
	if id, ok := seen[e]; ok {
		return id, nil
	}
	hash := sha256.Sum256(e.OTLP)
	id, ok := in.known[hash]
	if !ok {
		err := in.findEnvelope.QueryRow(hash[:]).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			var res sql.Result
			otlp := e.OTLP
			if otlp == nil {
				otlp = []byte{} // nil would be NULL
			}
			if res, err = in.addEnvelope.Exec(hash[:], otlp); err == nil {
				id, err = res.LastInsertId()
			}
		}
		if err != nil {
			return 0, err
		}
		if len(in.known) >= maxKnown {
			clear(in.known)
		}
		in.known[hash] = id
	}
	seen[e] = id
	return id, nil
}
