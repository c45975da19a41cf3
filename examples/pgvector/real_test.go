package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// Each hook does the same in a real PostgreSQL.
func TestPostgreSQL(t *testing.T) {
	s, err := open(t.Context(), startPostgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.prepare(t.Context()); err != nil {
		t.Errorf("making the table a second time: %v", err)
	}
	t.Run("rows", func(t *testing.T) {
		_, tree := asked(t, func(ctx context.Context) {
			n := 0
			if err := s.sql.QueryRowContext(ctx, "SELECT count(*) FROM points").Scan(&n); err != nil || n != 1000 {
				t.Errorf("%d points, %v", n, err)
			}
			if err := s.pgx.QueryRow(ctx, "SELECT count(*) FROM points").Scan(&n); err != nil || n != 1000 {
				t.Errorf("%d points, %v", n, err)
			}
		})
		if tree != "question\n" {
			t.Errorf("counting is no stage:\n%s", tree)
		}
	})
	for by, search := range map[string]searcher{"sql": s.searchSQL, "pgx": s.searchPgx} {
		t.Run(by+"/questions", func(t *testing.T) { testQuestions(t, s, by) })
		t.Run(by+"/cancel", func(t *testing.T) { testCancel(t, s, by) })
		t.Run(by+"/error", func(t *testing.T) { testError(t, search) })
	}
}

// testQuestions asks by HTTP, the first question on a new connection and the others on the same.
func testQuestions(t *testing.T, s *store, by string) {
	rec := tracertest.New(t)
	server := httptest.NewServer(tracer.Middleware(s.answer(), tracer.WithTracerProvider(rec.TracerProvider())))
	// The nearest points of the grid are 0.22, 0.81 and 0.92 away.
	for number := 1; number <= 3; number++ {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/?near=2.1,3,4.8&k=3&by="+by, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(tracer.HeaderSession, by)
		if diff := cmp.Diff("2 3 5\n2 3 4\n3 3 5\n", body(t, req)); diff != "" {
			t.Errorf("question %d (-want +got):\n%s", number, diff)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/?near=-5,0,0&k=1000&by="+by, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(body(t, req), "\n"); got != 1000 {
		t.Errorf("%d points, want all", got)
	}
	server.Close() // the last question's span has ended

	// The first search differs from the later ones in its time only: what it waits for has no stage of its own.
	const each = `question server ragtrace.stage=question ragtrace.inside_llm=false
├─ search ragtrace.stage=search ragtrace.inside_llm=false ragtrace.search.top_k=%[1]d db.response.returned_rows=%[1]d
└─ answer ragtrace.stage=answer ragtrace.inside_llm=false
`
	want := strings.Repeat(fmt.Sprintf(each, 3), 3) + fmt.Sprintf(each, 1000)
	got := rec.Tree("ragtrace.stage", "ragtrace.inside_llm", "ragtrace.search.top_k", "db.response.returned_rows", "error.type")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	for i, span := range rec.Named("search")[:3] {
		if n := tracertest.Value(span, "ragtrace.question.number").AsInt64(); n != int64(i+1) {
			t.Errorf("search %d is of question %d", i+1, n)
		}
	}
}

// testCancel gives a search up while the server sleeps in it.
func testCancel(t *testing.T, s *store, by string) {
	const sleeping = "SELECT name FROM points, pg_sleep(60) ORDER BY place <-> '(1,2,3)' LIMIT 5"
	_, tree := asked(t, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		time.AfterFunc(100*time.Millisecond, cancel)
		var err error
		if by == "sql" {
			_, err = count(s.sql.QueryContext(ctx, sleeping))
		} else if found, e := s.pgx.Query(ctx, sleeping); e != nil {
			err = e
		} else {
			found.Close()
			err = found.Err()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the context's", err)
		}
	})
	// A search without a row counted may say so, or say nothing.
	tree = strings.ReplaceAll(tree, " db.response.returned_rows=0", "")
	if want := "question\n└─ search error ragtrace.search.top_k=5 error.type=canceled\n"; tree != want {
		t.Errorf("tree:\n%s", tree)
	}
}

// testError searches with an argument that is no vector.
func testError(t *testing.T, search searcher) {
	rec, tree := asked(t, func(ctx context.Context) {
		_, err := search(ctx, []string{"sesame"}, 4)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != "22P02" {
			t.Errorf("error %v, want the server's own", err)
		}
		if _, err := search(ctx, []string{"1", "2", "3"}, 4); err != nil {
			t.Errorf("the next search: %v", err)
		}
	})
	want := `question
├─ search error ragtrace.search.top_k=4 error.type=22P02
└─ search ragtrace.search.top_k=4 db.response.returned_rows=4
`
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	for _, span := range rec.Ended() {
		if all := fmt.Sprint(span.Attributes(), span.Status(), span.Events()); strings.Contains(all, "sesame") || strings.Contains(all, "points") {
			t.Errorf("the span quotes the statement: %s", all)
		}
	}
}

func body(t *testing.T, req *http.Request) string {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", resp.Status, b, err)
	}
	return string(b)
}
