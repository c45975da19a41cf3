package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/pgvector"
	"github.com/ragtrace/ragtrace/tracer"
)

// begin opens a stage when sql is a search. Else the stage is nil, on which every method does nothing. arg gives an argument
// by its number, from 1; nil where there is none.
func begin(ctx context.Context, sql string, arg func(int) any) (context.Context, *tracer.ActiveStage) {
	statement := pgvector.Parse(sql)
	if statement.Operation != stages.OpSearch {
		return ctx, nil
	}
	ctx, stage := tracer.Stage(ctx, stages.Search)
	stage.Database("postgresql", "SELECT")
	topK := statement.TopK
	if statement.TopKArg > 0 {
		topK = integer(arg(statement.TopKArg))
	}
	if topK > 0 {
		stage.TopK(int(topK))
	}
	return ctx, stage
}

// integer is the value of an argument of any integer type, else 0.
func integer(arg any) int64 {
	switch v := reflect.ValueOf(arg); {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(v.Uint())
	}
	return 0
}

// end ends a stage, and tells of err only its kind: the text of PostgreSQL's errors and of the drivers' may quote arguments.
func end(stage *tracer.ActiveStage, err error) {
	if err != nil {
		err = discreet{err}
	}
	stage.End(err)
}

// A discreet error says of an error only its SQLSTATE, or that its context ended, or else its type.
type discreet struct{ err error }

func (d discreet) Unwrap() error { return d.err }

func (d discreet) Error() string {
	switch {
	case errors.Is(d.err, context.Canceled):
		return context.Canceled.Error()
	case errors.Is(d.err, context.DeadlineExceeded):
		return context.DeadlineExceeded.Error()
	}
	if state := d.state(); state != "" {
		return "SQLSTATE " + state
	}
	return fmt.Sprintf("%T", d.err)
}

// ErrorType is what the span's error.type says. Without a SQLSTATE it is the error's Go type.
func (d discreet) ErrorType() string {
	if state := d.state(); state != "" {
		return state
	}
	return fmt.Sprintf("%T", d.err)
}

// state is the server's code for the error (PostgreSQL's manual, appendix A), by the method that the errors of pgx and pq have.
func (d discreet) state() string {
	var coded interface{ SQLState() string }
	if errors.As(d.err, &coded) {
		return coded.SQLState()
	}
	return ""
}
