package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"google.golang.org/protobuf/proto"
)

// makeVersion1 makes a file as version 1 did, of these batches.
func makeVersion1(t *testing.T, batches ...*otlp.Batch) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "v1.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	step, err := steps.ReadFile("schema/1.sql")
	if err != nil {
		t.Fatal(err)
	}
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(string(step))
	exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1; PRAGMA journal_mode = WAL", applicationID))
	envelope := func(e *otlp.Envelope) (id int64) {
		hash := sha256.Sum256(e.OTLP)
		exec("INSERT INTO envelope (hash, otlp) VALUES (?, ?) ON CONFLICT DO NOTHING", hash[:], content(e))
		if err := db.QueryRow("SELECT id FROM envelope WHERE hash = ?", hash[:]).Scan(&id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	for _, b := range batches {
		for _, s := range b.Spans {
			exec("INSERT INTO trace (trace_id, start, question) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", s.TraceID[:], s.Start, s.Question)
			exec("INSERT INTO session (name, trace) SELECT 's-1', id FROM trace WHERE true ON CONFLICT DO NOTHING")
			exec("INSERT INTO span (trace, span_id, resource, scope, otlp) SELECT id, ?, ?, ?, ? FROM trace WHERE trace_id = ?",
				s.SpanID[:], envelope(s.Resource), envelope(s.Scope), s.OTLP, s.TraceID[:])
		}
	}
	return path
}

func batchOf(t *testing.T, request proto.Message) *otlp.Batch {
	t.Helper()
	raw, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := otlp.Split(raw)
	if err != nil {
		t.Fatal(err)
	}
	return batch
}

func TestAFileOfVersion1IsBroughtUpToDate(t *testing.T) {
	full, questions := batchOf(t, otlptest.Full()), batchOf(t, otlptest.Questions(3))
	path := makeVersion1(t, full, questions)
	if _, err := OpenReadOnly(path); err == nil || !strings.Contains(err.Error(), "schema version 1 and this ragtrace reads 3 (ragtrace serve") {
		t.Errorf("error of reading is %v", err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := map[model.TraceID][]model.Span{}
	for _, b := range []*otlp.Batch{full, questions} {
		spans, err := b.Decode()
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range spans {
			want[span.TraceID] = append(want[span.TraceID], span)
		}
	}
	got := map[model.TraceID][]model.Span{}
	for spans, err := range s.Traces(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		got[spans[0].TraceID] = spans
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if n, err := s.Behind(t.Context()); err != nil || n != 4 {
		t.Errorf("%d traces are behind, %v, want all 4", n, err)
	}
	// What comes now goes on where the old file ended.
	if err := s.Append(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	span := batchOf(t, otlptest.Full())
	span.Spans[0].SpanID = model.SpanID{1}
	if err := s.Append(t.Context(), span); err != nil {
		t.Fatal(err)
	}
	spans, err := s.Trace(t.Context(), model.TraceID(otlptest.TraceID))
	if err != nil || len(spans) != 2 {
		t.Errorf("%d spans, %v, want the old one and the new one", len(spans), err)
	}
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	path := makeVersion1(t, batchOf(t, otlptest.Questions(2)))
	broken := errors.New("broken")
	move := moves[2]
	moves[2] = func(ctx context.Context, conn *sql.Conn) error { return errors.Join(move(ctx, conn), broken) }
	defer func() { moves[2] = move }()
	if _, err := Open(path); !errors.Is(err, broken) {
		t.Fatalf("error is %v", err)
	}
	moves[2] = move
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for spans, err := range s.Traces(t.Context(), Filter{}) {
		if err != nil || len(spans) != 12 {
			t.Errorf("%d spans, %v", len(spans), err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d traces, want 2", n)
	}
}

// TestAFileOfVersion2KeepsItsQuestions makes a file as version 2 did, with a question that is written.
func TestAFileOfVersion2KeepsItsQuestions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v2.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"schema/1.sql", "schema/2.sql"} {
		step, err := steps.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(string(step)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = db.Exec(fmt.Sprintf(`
		INSERT INTO trace (id, trace_id, start, question) VALUES (1, x'0102030405060708090a0b0c0d0e0f10', 5, 1);
		INSERT INTO question (id, start, session, data) VALUES (1 << 24, 5, 'a', x'616263');
		UPDATE question_format SET format = 7;
		PRAGMA application_id = %d; PRAGMA user_version = 2`, applicationID))
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got []string
	for part, err := range s.Questions(t.Context(), Cutter{Format: 7, Cut: func([]model.Span) [][]byte { return nil }}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(part.Data))
	}
	if diff := cmp.Diff([]string{"abc"}, got); diff != "" {
		t.Error(diff)
	}
}
