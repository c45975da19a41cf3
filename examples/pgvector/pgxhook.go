package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/ragtrace/ragtrace/tracer"
)

// queryTracer makes a stage of every search. It goes into pgx.ConnConfig.Tracer. A search that is called by the name it was
// prepared under is not known, since its text is not there, nor is one in a batch.
type queryTracer struct{}

type stageKey struct{}

func (queryTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	args := arguments(data.Args)
	ctx, stage := begin(ctx, data.SQL, func(n int) any {
		if n > len(args) {
			return nil
		}
		return args[n-1]
	})
	// A stage around this one, of another query, must not be taken for its own.
	return context.WithValue(ctx, stageKey{}, stage)
}

// TraceQueryEnd is called once the rows are closed, with the server's count of them.
func (queryTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	stage, _ := ctx.Value(stageKey{}).(*tracer.ActiveStage)
	if data.Err == nil {
		stage.Hits(int(data.CommandTag.RowsAffected()))
	}
	end(stage, data.Err)
}

// arguments are those of the statement: before them may stand options of pgx.
func arguments(args []any) []any {
	for len(args) > 0 {
		switch args[0].(type) {
		case pgx.QueryExecMode, pgx.QueryResultFormats, pgx.QueryResultFormatsByOID:
			args = args[1:]
		default:
			return args
		}
	}
	return args
}
