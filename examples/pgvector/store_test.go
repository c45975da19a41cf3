package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/pgvector"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEveryExtensionIsSearched(t *testing.T) {
	want := pgvector.Statement{Operation: stages.OpSearch, Operator: "<->", Table: "points", TopKArg: 2}
	for _, e := range extensions {
		if diff := cmp.Diff(want, pgvector.Parse(e.search())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.search(), diff)
		}
		for _, statement := range e.setUp() {
			if got := pgvector.Parse(statement); got.Operation != "" {
				t.Errorf("%s is no search", statement)
			}
		}
	}
}

// The statements for pgvector are as its README writes them.
func TestTheStatementsOfPgvector(t *testing.T) {
	e := extensions[0]
	got := append(e.setUp(), e.search(), e.literal([]string{"1", "2", "3"}))
	want := []string{
		"CREATE EXTENSION IF NOT EXISTS vector",
		"CREATE TABLE IF NOT EXISTS points (name text PRIMARY KEY, place vector(3))",
		"INSERT INTO points SELECT concat_ws(' ', x, y, z), ARRAY[x, y, z]::real[]::vector FROM generate_series(0, 9) x, " +
			"generate_series(0, 9) y, generate_series(0, 9) z ON CONFLICT DO NOTHING",
		"CREATE INDEX IF NOT EXISTS points_place ON points USING hnsw (place vector_l2_ops)",
		"SELECT name FROM points ORDER BY place <-> $1::vector LIMIT $2",
		"[1,2,3]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadQuestions(t *testing.T) {
	for query, want := range map[string]string{
		"":                   `near is "": want three numbers`,
		"near=1,2":           `near is "1,2": want three numbers`,
		"near=1,2,x":         `near is "1,2,x": want three numbers`,
		"near=1,2,3&k=0":     `k is "0": want a number from 1 to 1000`,
		"near=1,2,3&k=1001":  `k is "1001": want`,
		"near=1,2,3&by=odbc": `by is "odbc": want sql or pgx`,
	} {
		w := httptest.NewRecorder()
		new(store).answer().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/?"+query, nil))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}
