package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"testing"
)

// A fakeDriver is a connector and its only connection: every query answers the numbers from 1 to rows.
type fakeDriver struct {
	rows   int
	broken error // comes in the place of the row after the last one
	failed error // of every query
	ctx    context.Context
	args   []driver.NamedValue
	read   int // rows that were asked for
	execs  int
	closed int
}

func openFake(t *testing.T, d *fakeDriver) *sql.DB {
	db := sql.OpenDB(traced(d))
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

var errTx = errors.New("no transactions here")

func (d *fakeDriver) Connect(context.Context) (driver.Conn, error)                 { return d, nil }
func (d *fakeDriver) Driver() driver.Driver                                        { return nil }
func (d *fakeDriver) Close() error                                                 { return nil }
func (d *fakeDriver) Begin() (driver.Tx, error)                                    { return nil, errTx }
func (d *fakeDriver) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) { return nil, errTx }
func (d *fakeDriver) Ping(context.Context) error                                   { return nil }
func (d *fakeDriver) ResetSession(context.Context) error                           { return nil }
func (d *fakeDriver) CheckNamedValue(*driver.NamedValue) error                     { return nil }
func (d *fakeDriver) Prepare(string) (driver.Stmt, error)                          { return &fakeStmt{d}, nil }
func (d *fakeDriver) PrepareContext(context.Context, string) (driver.Stmt, error) {
	return &fakeStmt{d}, nil
}
func (d *fakeDriver) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	d.execs++
	return driver.RowsAffected(3), nil
}

func (d *fakeDriver) QueryContext(ctx context.Context, _ string, args []driver.NamedValue) (driver.Rows, error) {
	d.ctx, d.args, d.read = ctx, args, 0
	if d.failed != nil {
		return nil, d.failed
	}
	return &fakeRows{d: d}, nil
}

type fakeStmt struct{ d *fakeDriver }

func (s *fakeStmt) Close() error                               { return nil }
func (s *fakeStmt) NumInput() int                              { return -1 }
func (s *fakeStmt) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (s *fakeStmt) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

func (s *fakeStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.d.ExecContext(ctx, "", args)
}

func (s *fakeStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.d.QueryContext(ctx, "", args)
}

type fakeRows struct{ d *fakeDriver }

func (r *fakeRows) Columns() []string                          { return []string{"n"} }
func (r *fakeRows) Close() error                               { r.d.closed++; return nil }
func (r *fakeRows) ColumnTypeDatabaseTypeName(int) string      { return "INT8" }
func (r *fakeRows) ColumnTypeNullable(int) (nullable, ok bool) { return false, true }

func (r *fakeRows) Next(dest []driver.Value) error {
	if r.d.read++; r.d.read <= r.d.rows {
		dest[0] = int64(r.d.read)
		return nil
	}
	if r.d.broken != nil {
		return r.d.broken
	}
	return io.EOF
}

// A bareConnector's connections can do only what every driver must.
type bareConnector struct{ fakeDriver }

func (b *bareConnector) Connect(context.Context) (driver.Conn, error) {
	return struct{ driver.Conn }{&b.fakeDriver}, nil
}
