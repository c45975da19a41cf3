package store_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// damage changes a byte in the middle of the first chunk of the trace whose id begins with first, as a bad page does.
func damage(t *testing.T, path string, first byte) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var id int64
	var data []byte
	err = db.QueryRow(`SELECT c.id, c.data FROM trace t JOIN chunk c ON c.id >> 24 = t.id WHERE substr(t.trace_id, 1, 1) = ?
		ORDER BY c.id`, []byte{first}).Scan(&id, &data)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 0x10
	if _, err := db.Exec("UPDATE chunk SET data = ? WHERE id = ?", data, id); err != nil {
		t.Fatal(err)
	}
}

// Of three traces the second is damaged: it is named, the others are read, and what comes is kept.
func TestADamagedTraceHoldsUpNoOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	add := func(n byte) { appendTo(t, s, otlptest.Request(span(n, 1000+uint64(n), "ragtrace.stage", "question"))) }
	for n := range byte(3) {
		add(n + 1)
		add(n + 1)
	}
	damage(t, path, 2)
	bad := model.TraceID{2}

	check := func(what string, err error) {
		t.Helper()
		damaged, ok := errors.AsType[*store.DamagedError](err)
		if !ok || !cmp.Equal(damaged.Traces, []model.TraceID{bad}) || !strings.Contains(err.Error(), bad.String()) ||
			!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "ragtrace export") {
			t.Errorf("%s: error is %v, want one that names the trace, the file, and what helps", what, err)
		}
	}
	cutter := store.Cutter{Format: 1, Cut: func(spans []model.Span) [][]byte {
		return [][]byte{spans[0].TraceID[:1]}
	}}
	read := func(what string) {
		t.Helper()
		var ids, questions, raw []byte
		var err, questionErr, rawErr error
		for spans, e := range s.Traces(t.Context(), store.Filter{}) {
			if err = e; e == nil {
				ids = append(ids, spans[0].TraceID[0])
			}
		}
		check(what+": traces", err)
		for q, e := range s.Questions(t.Context(), cutter) {
			if questionErr = e; e == nil {
				questions = append(questions, q.Data...)
			}
		}
		check(what+": questions", questionErr)
		for batch, e := range s.Raw(t.Context()) {
			if rawErr = e; e == nil {
				raw = append(raw, byte(len(batch.Spans)))
			}
		}
		check(what+": raw", rawErr)
		if diff := cmp.Diff([][]byte{{1, 3}, {1, 3}, {2, 2}}, [][]byte{ids, questions, raw}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		_, err = s.Trace(t.Context(), bad)
		check(what+": trace", err)
		_, err = s.SpanIDs(t.Context(), bad)
		check(what+": span ids", err)
	}
	if err := s.SetQuestionFormat(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	read("not written")
	// Written are the others, once for all: the damaged one is not tried again.
	n, err := s.UpdateQuestions(t.Context(), cutter, time.Now(), 100)
	check("update", err)
	again, err := s.UpdateQuestions(t.Context(), cutter, time.Now(), 100)
	if n != 3 || again != 0 || err != nil {
		t.Errorf("%d traces, then %d with error %v, want 3, 0 and none", n, again, err)
	}
	read("written")

	// Chunks are merged at the sixteenth, but not a damaged one, and whoever sends does not notice.
	before := chunks(t, path)
	for range 40 {
		appendTo(t, s, otlptest.Request(span(2, 1002)))
	}
	if after := chunks(t, path); after != before+40 {
		t.Errorf("%d chunks after %d, want 40 more", after, before)
	}
	read("more came")
}

func chunks(t *testing.T, path string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT count(*) FROM chunk").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A page that SQLite cannot read is an error that says what helps, and reading writes nothing.
func TestACorruptPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var many []*tracepb.Span
	for i := range 200 {
		for range 20 {
			many = append(many, span(byte(i), uint64(1000+i), "ragtrace.stage", "question"))
		}
	}
	appendTo(t, s, otlptest.Request(many...))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for page := 1; page < len(raw)/4096; page++ {
		broken := append([]byte(nil), raw...)
		for i := range 4096 {
			broken[page*4096+i] = 0xa5
		}
		copied := filepath.Join(t.TempDir(), "broken.db")
		if err := os.WriteFile(copied, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		reader, err := store.OpenReadOnly(copied)
		if err != nil {
			continue
		}
		for _, err := range reader.Traces(t.Context(), store.Filter{}) {
			if err != nil && !strings.Contains(err.Error(), "the file is damaged (restore a copy") {
				t.Errorf("page %d: error is %v, want one that says what helps", page, err)
			}
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
		after, err := os.ReadFile(copied)
		if err != nil || string(after) != string(broken) {
			t.Errorf("page %d: the file was changed, %v", page, err)
		}
	}
}
