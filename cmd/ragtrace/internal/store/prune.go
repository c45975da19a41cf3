package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"
)

// Limits say what a store may hold. A zero is no limit. A trace is kept or goes as a whole; those go first of which nothing
// has come for longest, to the second, and of those the ones that started first.
type Limits struct {
	Age    time.Duration // since the last span of a trace came
	Size   int64         // bytes of the file on disk, without its log
	Traces int64
}

// Pruned is what went.
type Pruned struct{ Traces, Spans int64 }

const (
	// pruneBatch is how many traces go in one transaction, and vacuumPages how many pages are given back in one: few, as
	// spans that come wait for it.
	pruneBatch  = 200
	vacuumPages = 1000
	// With a limit on the size, room is made for what comes next, so that it does not have to be made at every span.
	fullShare, pruneShare = 0.95, 0.9
	// spare is the share of the file that may be free for what comes next.
	spare = 0.1
)

// Prune lets go of traces until the store holds no more than l says, and gives space back to the disk. Free space that
// what comes next will fill again is left, unless all is asked for: then the file is as small as it can be.
func (s *Store) Prune(ctx context.Context, l Limits, all bool) (Pruned, error) {
	var pruned Pruned
	for {
		batch, err := s.surplus(ctx, l, pruneBatch)
		if err != nil {
			return pruned, s.fail("read store", err)
		}
		if len(batch) == 0 {
			break
		}
		err = s.write(ctx, func(in *inserter) error {
			return in.inTx(func() error {
				if err := in.countWrite(); err != nil {
					return err
				}
				for _, t := range batch {
					if err := in.forget(t.id); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if err != nil {
			return pruned, err
		}
		for _, t := range batch {
			pruned.Traces++
			pruned.Spans += t.spans
		}
	}
	if err := s.write(ctx, func(in *inserter) error { return in.inTx(in.forgetEnvelopes) }); err != nil {
		return pruned, err
	}
	return pruned, s.giveBack(ctx, l, all)
}

// Surplus tells roughly what Prune would let go of.
func (s *Store) Surplus(ctx context.Context, l Limits) (p Pruned, err error) {
	rows, err := s.surplus(ctx, l, math.MaxInt64)
	if err != nil {
		return p, s.fail("read store", err)
	}
	for _, t := range rows {
		p.Traces++
		p.Spans += t.spans
	}
	return p, nil
}

// A traceRow is what pruning knows of a trace.
type traceRow struct{ id, spans, bytes int64 }

// surplus is a number of the traces that are too many, those that go first.
func (s *Store) surplus(ctx context.Context, l Limits, most int64) (rows []traceRow, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		var traces int64
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM trace").Scan(&traces); err != nil {
			return err
		}
		p, err := readPages(ctx, tx)
		if err != nil {
			return err
		}
		rows, err = surplusRows(ctx, tx, l, traces, p, most)
		return err
	})
	return rows, err
}

// surplusRows reads so many traces that are too many, or fewer. How much room a trace takes is known roughly.
func surplusRows(ctx context.Context, tx *sql.Tx, l Limits, traces int64, p pages, most int64) ([]traceRow, error) {
	cutoff := int64(0)
	if l.Age > 0 {
		cutoff = time.Now().Add(-l.Age).Unix()
	}
	tooMany := int64(0)
	if l.Traces > 0 {
		tooMany = traces - l.Traces
	}
	tooLarge := int64(0)
	if used := p.used(); l.Size > 0 && float64(used) > fullShare*float64(l.Size) {
		tooLarge = used - int64(pruneShare*float64(l.Size))
	}
	// What was imported came within the same seconds, in any order.
	rows, err := tx.QueryContext(ctx, `SELECT id, spans, seen,
		(SELECT coalesce(sum(length(data)), 0) FROM chunk WHERE id BETWEEN t.id << 24 AND (t.id + 1 << 24) - 1)
		FROM (SELECT id, spans, seen FROM trace ORDER BY seen, start, id LIMIT ?) t`, most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var surplus []traceRow
	for rows.Next() {
		var t traceRow
		var seen int64
		if err := rows.Scan(&t.id, &t.spans, &seen, &t.bytes); err != nil {
			return nil, err
		}
		if seen >= cutoff && tooMany <= 0 && tooLarge <= 0 {
			break
		}
		tooMany--
		tooLarge -= t.bytes
		surplus = append(surplus, t)
	}
	return surplus, rows.Err()
}

// forget deletes all that is known of a trace.
func (in *inserter) forget(trace int64) error {
	first, last := trace<<placeBits, (trace+1)<<placeBits-1
	for _, d := range []struct {
		query string
		args  []any
	}{
		{"DELETE FROM chunk WHERE id BETWEEN ? AND ?", []any{first, last}},
		{"DELETE FROM question WHERE id BETWEEN ? AND ?", []any{first, last}},
		{"DELETE FROM pack WHERE id = ?", []any{trace >> packBits}},
		{"DELETE FROM changed WHERE trace = ?", []any{trace}},
		{"DELETE FROM trace WHERE id = ?", []any{trace}},
	} {
		if _, err := in.exec(d.query, d.args...); err != nil {
			return err
		}
	}
	return nil
}

// forgetEnvelopes deletes the resources and scopes in which nothing has come since the oldest trace began. The hours are
// for what is not written at every use, and for a process that has just read of one.
func (in *inserter) forgetEnvelopes() error {
	n, err := in.exec("DELETE FROM envelope WHERE seen < min(coalesce((SELECT min(came) FROM trace), ?1), ?1) - ?2",
		in.now().Unix(), 2*touchEvery)
	if n > 0 {
		clear(in.known)
	}
	return err
}

// giveBack gives free pages back to the disk.
func (s *Store) giveBack(ctx context.Context, l Limits, all bool) error {
	for {
		done := false
		err := s.write(ctx, func(in *inserter) error {
			p, err := readPages(ctx, in.conn)
			if err != nil {
				return err
			}
			most := int64(0) // pages that the file may have
			if !all {
				most = p.count - p.free + int64(spare*float64(p.count))
				if l.Size > 0 {
					most = min(most, l.Size/p.size)
				}
			}
			surplus := min(p.free, p.count-most)
			if done = surplus <= 0; done {
				return nil
			}
			if !p.incremental {
				// A file of version 1: once, it is written anew.
				done = true
				_, err := in.conn.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
				return err
			}
			return vacuum(ctx, in.conn, min(surplus, vacuumPages))
		})
		if err != nil || done {
			return err
		}
	}
}

// vacuum gives n pages back: one for every row that is asked for.
func vacuum(ctx context.Context, conn *sql.Conn, n int64) error {
	rows, err := conn.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", n))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
