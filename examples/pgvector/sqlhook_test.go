package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

const nearest = "SELECT n FROM secrets ORDER BY place <-> $1 LIMIT $2"

// shown are the attributes of a search that tests compare.
var shown = []attribute.Key{"ragtrace.search.top_k", "db.response.returned_rows", "error.type"}

// asked runs f inside a question and returns the tree of its spans.
func asked(t *testing.T, f func(context.Context)) (*tracertest.Recorder, string) {
	t.Helper()
	rec := tracertest.New(t)
	ctx, q := tracer.Ask(t.Context(), "anna", tracer.WithTracerProvider(rec.TracerProvider()))
	f(ctx)
	q.End(nil)
	if open := rec.Open(); open != nil {
		t.Errorf("open spans: %v", open)
	}
	return rec, rec.Tree(shown...)
}

// count reads all rows of a query.
func count(found *sql.Rows, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	defer found.Close()
	n := 0
	for found.Next() {
		n++
	}
	return n, found.Err()
}

func TestASearchIsAStage(t *testing.T) {
	db := openFake(t, &fakeDriver{rows: 5})
	rec, tree := asked(t, func(ctx context.Context) {
		if n, err := count(db.QueryContext(ctx, nearest, "[1,2,3]", 7)); n != 5 || err != nil {
			t.Errorf("%d rows, %v", n, err)
		}
	})
	want := "question\n└─ search ragtrace.search.top_k=7 db.response.returned_rows=5\n"
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	got := make(map[string]any)
	for _, kv := range rec.Named("search")[0].Attributes() {
		got[string(kv.Key)] = kv.Value.AsInterface()
	}
	attrs := map[string]any{
		"ragtrace.stage": "search", "ragtrace.inside_llm": false, "ragtrace.timing.source": "measured", "openinference.span.kind": "CHAIN",
		"session.id": "anna", "gen_ai.conversation.id": "anna", "ragtrace.question.number": int64(1),
		"db.system.name": "postgresql", "db.operation.name": "SELECT",
		"ragtrace.search.top_k": int64(7), "db.response.returned_rows": int64(5),
	}
	if diff := cmp.Diff(attrs, got); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
}

func TestWhichStatementsAreStages(t *testing.T) {
	d := &fakeDriver{rows: 2}
	db := openFake(t, d)
	for _, c := range []struct {
		query string
		args  []any
		want  string // below the question
	}{
		{nearest, []any{"[1]", int32(3)}, "└─ search ragtrace.search.top_k=3 db.response.returned_rows=2\n"},
		{nearest, []any{"[1]", uint8(3)}, "└─ search ragtrace.search.top_k=3 db.response.returned_rows=2\n"},
		{nearest, []any{"[1]", "3"}, "└─ search db.response.returned_rows=2\n"},
		{nearest, []any{"[1]", -3}, "└─ search db.response.returned_rows=2\n"},
		{nearest, []any{"[1]"}, "└─ search db.response.returned_rows=2\n"},
		{"SELECT n FROM t ORDER BY e <=> $1 LIMIT 4", []any{"[1]"}, "└─ search ragtrace.search.top_k=4 db.response.returned_rows=2\n"},
		{"SELECT n FROM t LIMIT 4", nil, ""},
		{"INSERT INTO near SELECT n FROM t ORDER BY e <-> $1 LIMIT 4", []any{"[1]"}, ""},
		{"", nil, ""},
	} {
		_, tree := asked(t, func(ctx context.Context) {
			if n, err := count(db.QueryContext(ctx, c.query, c.args...)); n != 2 || err != nil {
				t.Errorf("%s: %d rows, %v", c.query, n, err)
			}
		})
		if diff := cmp.Diff("question\n"+c.want, tree); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", c.query, c.args, diff)
		}
	}
	_, tree := asked(t, func(ctx context.Context) {
		if _, err := db.ExecContext(ctx, "DELETE FROM t"); err != nil || d.execs != 1 {
			t.Errorf("%d executed, %v", d.execs, err)
		}
	})
	if tree != "question\n" {
		t.Errorf("a statement without rows: %s", tree)
	}
}

func TestAPreparedSearchIsAStage(t *testing.T) {
	db := openFake(t, &fakeDriver{rows: 2})
	prepared, err := db.Prepare(nearest)
	if err != nil {
		t.Fatal(err)
	}
	defer prepared.Close()
	_, tree := asked(t, func(ctx context.Context) {
		for k := 5; k <= 6; k++ {
			if _, err := count(prepared.QueryContext(ctx, "[1]", k)); err != nil {
				t.Error(err)
			}
		}
	})
	want := `question
├─ search ragtrace.search.top_k=5 db.response.returned_rows=2
└─ search ragtrace.search.top_k=6 db.response.returned_rows=2
`
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

// Rows come from the driver one by one, when they are asked for, and the stage lasts until they are closed.
func TestRowsAreNotBuffered(t *testing.T) {
	d := &fakeDriver{rows: 1000}
	db := openFake(t, d)
	_, tree := asked(t, func(ctx context.Context) {
		found, err := db.QueryContext(ctx, nearest, "[1]", 1000)
		if err != nil {
			t.Fatal(err)
		}
		if d.read != 0 {
			t.Errorf("%d rows read before the first was asked for", d.read)
		}
		for range 3 {
			found.Next()
		}
		if d.read != 3 {
			t.Errorf("%d rows read, want 3", d.read)
		}
		if err := found.Close(); err != nil || d.closed != 1 {
			t.Errorf("closed %d times, %v", d.closed, err)
		}
	})
	want := "question\n└─ search ragtrace.search.top_k=1000 db.response.returned_rows=3\n"
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

// coded is an error as the drivers' are: it has a SQLSTATE, and a text that quotes an argument.
type coded struct{}

func (coded) Error() string    { return `invalid input syntax for type vector: "[sesame]"` }
func (coded) SQLState() string { return "22P02" }

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		err          error
		kind, status string
	}{
		{coded{}, "22P02", "SQLSTATE 22P02"},
		{fmt.Errorf("query [sesame]: %w", coded{}), "22P02", "SQLSTATE 22P02"},
		{context.Canceled, "canceled", "context canceled"},
		{fmt.Errorf("[sesame]: %w", context.DeadlineExceeded), "timeout", "context deadline exceeded"},
		{errors.New("[sesame]"), "*errors.errorString", "*errors.errorString"},
	} {
		for name, d := range map[string]*fakeDriver{"query": {failed: c.err}, "row": {rows: 2, broken: c.err}} {
			db := openFake(t, d)
			rec, _ := asked(t, func(ctx context.Context) {
				if _, err := count(db.QueryContext(ctx, nearest, "[sesame]", 7)); err != c.err {
					t.Errorf("%s: the error became %v, want %v", name, err, c.err)
				}
			})
			span := rec.Named("search")[0]
			if got := tracertest.Value(span, "error.type").String(); got != c.kind {
				t.Errorf("%s %v: error.type %q, want %q", name, c.err, got, c.kind)
			}
			if got := span.Status().Description; got != c.status {
				t.Errorf("%s %v: status %q, want %q", name, c.err, got, c.status)
			}
			if all := fmt.Sprint(span.Attributes(), span.Status(), span.Events()); strings.Contains(all, "sesame") || strings.Contains(all, "secrets") {
				t.Errorf("%s: the span quotes the statement: %s", name, all)
			}
		}
	}
}

// When the context ends between two rows, database/sql closes them by itself.
func TestACancelledSearch(t *testing.T) {
	db := openFake(t, &fakeDriver{rows: math.MaxInt})
	_, tree := asked(t, func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		found, err := db.QueryContext(ctx, nearest, "[1]", 1000)
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		found.Next()
		cancel()
		for found.Next() {
		}
		if err := found.Err(); err != context.Canceled {
			t.Errorf("error %v", err)
		}
	})
	if !strings.HasPrefix(tree, "question\n└─ search error ragtrace.search.top_k=1000 ") || !strings.HasSuffix(tree, " error.type=canceled\n") {
		t.Errorf("tree:\n%s", tree)
	}
}

func TestTheDriverGetsWhatTheCallerGave(t *testing.T) {
	type key struct{}
	d := &fakeDriver{rows: 1}
	db := openFake(t, d)
	asked(t, func(ctx context.Context) {
		ctx, cancel := context.WithCancel(context.WithValue(ctx, key{}, "mine"))
		if _, err := count(db.QueryContext(ctx, nearest, "[1,2,3]", 7)); err != nil {
			t.Error(err)
		}
		if d.ctx.Value(key{}) != "mine" || d.ctx.Err() != nil {
			t.Error("the driver's context is another")
		}
		cancel()
		if d.ctx.Err() == nil {
			t.Error("the driver's context goes on")
		}
	})
	want := []driver.NamedValue{{Ordinal: 1, Value: "[1,2,3]"}, {Ordinal: 2, Value: 7}}
	if diff := cmp.Diff(want, d.args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

// Columns are described as the driver does, or as database/sql does when the driver does not.
func TestColumns(t *testing.T) {
	types := func(db *sql.DB) *sql.ColumnType {
		found, err := db.Query(nearest, "[1]", 7)
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		all, err := found.ColumnTypes()
		if err != nil || found.NextResultSet() {
			t.Errorf("%v, or another set of rows", err)
		}
		return all[0]
	}
	plain := sql.OpenDB(&fakeDriver{})
	defer plain.Close()
	if want, got := types(plain), types(openFake(t, &fakeDriver{})); !reflect.DeepEqual(want, got) {
		t.Errorf("want %+v, got %+v", want, got)
	}
}

// A connection that lacks what the wrapper would promise is left alone.
func TestABareConnectionStaysAsItIs(t *testing.T) {
	b := &bareConnector{}
	got, err := traced(b).Connect(t.Context())
	if _, wrapped := got.(conn); wrapped || err != nil {
		t.Errorf("got %T, %v", got, err)
	}
}
