package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"time"
)

// Storage is what a store holds and what that takes.
type Storage struct {
	Traces, Questions, Spans int64
	Behind                   int64     // traces whose questions are not written yet
	Oldest, Newest           time.Time // when the last span of a trace came; zero without any
	File, Log                int64     // bytes on disk: the file, and what has not been moved into it yet
	Free                     int64     // bytes of the file that nothing is in
}

// Storage tells what the store holds.
func (s *Store) Storage(ctx context.Context) (st Storage, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		var oldest, newest sql.NullInt64
		err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM trace), (SELECT count(*) FROM question),
			(SELECT coalesce(sum(spans), 0) FROM trace), (SELECT count(*) FROM changed),
			(SELECT min(seen) FROM trace), (SELECT max(seen) FROM trace)`).
			Scan(&st.Traces, &st.Questions, &st.Spans, &st.Behind, &oldest, &newest)
		if err != nil {
			return err
		}
		if oldest.Valid {
			st.Oldest, st.Newest = time.Unix(oldest.Int64, 0), time.Unix(newest.Int64, 0)
		}
		p, err := readPages(ctx, tx)
		st.Free = p.free * p.size
		return err
	})
	if err == nil {
		st.File, st.Log, err = s.Size()
	}
	if err != nil {
		return Storage{}, s.fail("read store", err)
	}
	return st, nil
}

// Size is how many bytes the file has on disk, and the log of what has not been moved into it yet.
func (s *Store) Size() (file, log int64, err error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0, 0, err
	}
	file = info.Size()
	switch info, err := os.Stat(s.path + "-wal"); {
	case err == nil:
		log = info.Size()
	case !errors.Is(err, fs.ErrNotExist):
		return 0, 0, err
	}
	return file, log, nil
}

// pages are those of the file, as SQLite counts them.
type pages struct {
	count, free, size int64
	incremental       bool // they can be given back without writing the file anew
}

func (p pages) used() int64 { return (p.count - p.free) * p.size }

func readPages(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (p pages, err error) {
	const incremental = 2
	var mode int
	err = db.QueryRowContext(ctx, `SELECT (SELECT page_count FROM pragma_page_count), (SELECT freelist_count FROM pragma_freelist_count),
		(SELECT page_size FROM pragma_page_size), (SELECT auto_vacuum FROM pragma_auto_vacuum)`).Scan(&p.count, &p.free, &p.size, &mode)
	p.incremental = mode == incremental
	return p, err
}
