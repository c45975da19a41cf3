package main

import (
	"context"
	"database/sql/driver"
	"io"
	"reflect"

	"github.com/ragtrace/ragtrace/tracer"
)

// rows count what is read of a search's rows and end its stage with them.
type rows struct {
	driver.Rows
	ctx   context.Context
	stage *tracer.ActiveStage
	hits  int
}

func (r *rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	switch err {
	case nil:
		r.hits++
	case io.EOF:
		r.end(nil)
	default:
		r.end(err)
	}
	return err
}

// Close before the last row is no failure, unless database/sql does it because the context has ended.
func (r *rows) Close() error {
	err := r.Rows.Close()
	if err != nil {
		r.end(err)
	} else {
		r.end(r.ctx.Err())
	}
	return err
}

func (r *rows) end(err error) {
	r.stage.Hits(r.hits)
	end(r.stage, err)
}

// What follows passes on what a driver may tell besides, and otherwise says what database/sql takes for the answer of a driver
// that does not.

func (r *rows) HasNextResultSet() bool {
	n, ok := r.Rows.(driver.RowsNextResultSet)
	return ok && n.HasNextResultSet()
}

func (r *rows) NextResultSet() error {
	if n, ok := r.Rows.(driver.RowsNextResultSet); ok {
		return n.NextResultSet()
	}
	return io.EOF
}

func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	if n, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return n.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}

func (r *rows) ColumnTypeLength(i int) (length int64, ok bool) {
	if n, ok := r.Rows.(driver.RowsColumnTypeLength); ok {
		return n.ColumnTypeLength(i)
	}
	return 0, false
}

func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) {
	if n, ok := r.Rows.(driver.RowsColumnTypeNullable); ok {
		return n.ColumnTypeNullable(i)
	}
	return false, false
}

func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	if n, ok := r.Rows.(driver.RowsColumnTypePrecisionScale); ok {
		return n.ColumnTypePrecisionScale(i)
	}
	return 0, 0, false
}

func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	if n, ok := r.Rows.(driver.RowsColumnTypeScanType); ok {
		return n.ColumnTypeScanType(i)
	}
	return reflect.TypeFor[any]()
}
