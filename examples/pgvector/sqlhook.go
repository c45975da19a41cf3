package main

import (
	"context"
	"database/sql/driver"
)

// traced makes a stage of every search on the connector's connections:
//
//	db := sql.OpenDB(traced(connector))
//
// To sql.Conn.Raw a connection is then a conn, whose fullConn is the driver's.
func traced(c driver.Connector) driver.Connector { return connector{c} }

type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	plain, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if full, ok := plain.(fullConn); ok {
		return conn{full}, nil
	}
	return plain, nil
}

// A fullConn can do all that database/sql asks for, as those of pgx and pq can. One that cannot stays as it is: behind a
// wrapper, database/sql would not see what it lacks.
type fullConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.NamedValueChecker
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
}

type conn struct{ fullConn }

func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return search(ctx, query, args, func(ctx context.Context) (driver.Rows, error) {
		return c.fullConn.QueryContext(ctx, query, args)
	})
}

func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	plain, err := c.fullConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if full, ok := plain.(fullStmt); ok {
		return stmt{full, query}, nil
	}
	return plain, nil
}

// IsValid is true of connections that do not say.
func (c conn) IsValid() bool {
	v, ok := c.fullConn.(driver.Validator)
	return !ok || v.IsValid()
}

// A fullStmt is a prepared statement as those of pgx and pq are.
type fullStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type stmt struct {
	fullStmt
	query string
}

func (s stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return search(ctx, s.query, args, func(ctx context.Context) (driver.Rows, error) {
		return s.fullStmt.QueryContext(ctx, args)
	})
}

// search runs a query, in a stage if it is a search. The stage ends with the rows.
func search(ctx context.Context, query string, args []driver.NamedValue, run func(context.Context) (driver.Rows, error)) (driver.Rows, error) {
	ctx, stage := begin(ctx, query, func(n int) any {
		for _, a := range args {
			if a.Ordinal == n {
				return a.Value
			}
		}
		return nil
	})
	found, err := run(ctx)
	if err != nil {
		end(stage, err)
		return found, err
	}
	if stage == nil {
		return found, nil
	}
	return &rows{Rows: found, ctx: ctx, stage: stage}, nil
}
