package main

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestTheArgumentsOfPgx(t *testing.T) {
	for _, c := range []struct {
		name string
		sql  string
		args []any
		want string
	}{
		{"plain", nearest, []any{"[1]", 7}, "└─ search ragtrace.search.top_k=7 db.response.returned_rows=5\n"},
		{"after options", nearest, []any{pgx.QueryExecModeExec, pgx.QueryResultFormats{1}, "[1]", 7},
			"└─ search ragtrace.search.top_k=7 db.response.returned_rows=5\n"},
		{"by name", "SELECT n FROM t ORDER BY e <-> @e LIMIT @k", []any{pgx.NamedArgs{"e": "[1]", "k": 7}},
			"└─ search db.response.returned_rows=5\n"},
		{"none", nearest, nil, "└─ search db.response.returned_rows=5\n"},
		{"no search", "SELECT n FROM t WHERE n = $1", []any{1}, ""},
	} {
		_, tree := asked(t, func(ctx context.Context) {
			ctx = queryTracer{}.TraceQueryStart(ctx, nil, pgx.TraceQueryStartData{SQL: c.sql, Args: c.args})
			queryTracer{}.TraceQueryEnd(ctx, nil, pgx.TraceQueryEndData{CommandTag: pgconn.NewCommandTag("SELECT 5")})
		})
		if diff := cmp.Diff("question\n"+c.want, tree); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// A query that another one makes, with the context of the first, ends its own stage.
func TestAQueryInsideAQuery(t *testing.T) {
	_, tree := asked(t, func(ctx context.Context) {
		outer := queryTracer{}.TraceQueryStart(ctx, nil, pgx.TraceQueryStartData{SQL: nearest, Args: []any{"[1]", 7}})
		inner := queryTracer{}.TraceQueryStart(outer, nil, pgx.TraceQueryStartData{SQL: "SELECT 1"})
		queryTracer{}.TraceQueryEnd(inner, nil, pgx.TraceQueryEndData{CommandTag: pgconn.NewCommandTag("SELECT 1")})
		queryTracer{}.TraceQueryEnd(outer, nil, pgx.TraceQueryEndData{CommandTag: pgconn.NewCommandTag("SELECT 5")})
	})
	if want := "question\n└─ search ragtrace.search.top_k=7 db.response.returned_rows=5\n"; tree != want {
		t.Errorf("tree:\n%s", tree)
	}
}
