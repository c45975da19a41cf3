package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
)

// The schema as a row of steps: file N makes version N out of version N-1. Steps are added, never changed.
//
//go:embed schema/*.sql
var steps embed.FS

// moves are what SQL alone cannot do of a step; each runs after the file of its version.
var moves = map[int]func(context.Context, *sql.Conn) error{2: chunkSpanRows}

const (
	version = 3
	// applicationID marks a SQLite file as ragtrace's: "ragt".
	applicationID = 0x72616774
)

// migrate brings the file to the newest version. It is safe against another process that does the same.
func (s *Store) migrate() error {
	ctx := context.Background()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// Nothing is written before it is known that the file is ours. The modes stay with the file. With the first, space can
	// be given back without writing the whole file anew; it must be chosen while the file is empty.
	have, err := fileVersion(ctx, conn)
	if err != nil {
		return err
	}
	if have == 0 {
		if _, err := conn.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL"); err != nil {
			return err
		}
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	// The lock is taken at once, so that of two processes the second finds the work done, and a file that may only be
	// read, which SQLite opens all the same, is refused now and not at the first span.
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err = func() error {
		have, err := fileVersion(ctx, conn)
		if err != nil {
			return err
		}
		for v := have + 1; v <= version; v++ {
			step, err := steps.ReadFile(fmt.Sprintf("schema/%d.sql", v))
			if err != nil {
				return err
			}
			if _, err := conn.ExecContext(ctx, string(step)); err != nil {
				return fmt.Errorf("schema version %d: %w", v, err)
			}
			if move := moves[v]; move != nil {
				if err := move(ctx, conn); err != nil {
					return fmt.Errorf("schema version %d: %w", v, err)
				}
			}
		}
		_, err = conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", applicationID, version))
		return err
	}()
	if err != nil {
		conn.ExecContext(ctx, "ROLLBACK") // fails when SQLite has done so already
	}
	return err
}

// check refuses a file that reading cannot understand.
func (s *Store) check() error {
	have, err := fileVersion(context.Background(), s.db)
	if err == nil && have == 0 {
		return errors.New("the file is empty: it holds no ragtrace database (ragtrace serve and ragtrace demo make one)")
	}
	if err == nil && have < version {
		err = fmt.Errorf("the file has schema version %d and this ragtrace reads %d (ragtrace serve brings it up to date)", have, version)
	}
	return err
}

// fileVersion is the schema version of the file, 0 for an empty one.
func fileVersion(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (int, error) {
	var app, have, tables int
	err := db.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&app, &have, &tables)
	switch {
	case err != nil:
		return 0, err
	case app != applicationID && tables+app+have > 0:
		return 0, errors.New("the file belongs to another program")
	case have > version:
		return 0, fmt.Errorf("the file has schema version %d, of a newer ragtrace; this one knows versions up to %d", have, version)
	}
	return have, nil
}
