package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"time"
)

// maxRefusals is how often it is tried to make a pack: once more after its questions were cut again.
const maxRefusals = 2

// packBits is how many bits of a trace's row tell it from others in the same pack.
const packBits = 10

// A Packer puts the data of questions together.
type Packer func(questions [][]byte) ([]byte, error)

// PackQuestions makes packs of questions of traces of which nothing has come since a moment, to the second: at most limit
// packs. It tells how many it looked at. What the packer refuses is given to the cutter once more, since it may be damaged; what
// it refuses twice is not packed as long as the store is open. The error is then the packer's.
func (s *Store) PackQuestions(ctx context.Context, pack Packer, quietSince time.Time, limit int) (looked int, err error) {
	var due []int64
	err = s.inTx(ctx, func(tx *sql.Tx) (err error) {
		due, err = s.duePacks(ctx, tx, quietSince, limit)
		return err
	})
	if err != nil {
		return 0, s.fail("read store", err)
	}
	var refused error
	for _, id := range due {
		err := s.write(ctx, func(in *inserter) error {
			return in.inTx(func() (err error) {
				refused, err = in.pack(id, pack)
				return err
			})
		})
		if err != nil {
			return looked, err
		}
		looked++
		if refused != nil {
			n, _ := s.refusals.Load(id)
			times, _ := n.(int)
			s.refusals.Store(id, times+1)
			return looked, s.fail("pack questions of store", refused)
		}
	}
	return looked, nil
}

// duePacks are packs that are not there although all of their traces are, and have been quiet since a moment.
func (s *Store) duePacks(ctx context.Context, tx *sql.Tx, quietSince time.Time, limit int) (due []int64, err error) {
	var first, end sql.NullInt64
	// Each is one step in the table when it stands alone.
	err = tx.QueryRowContext(ctx, "SELECT (SELECT min(id) FROM trace) >> 10, (SELECT max(id) FROM trace) >> 10").Scan(&first, &end)
	if err != nil {
		return nil, err
	}
	have, err := numbers(ctx, tx, "SELECT id FROM pack UNION SELECT DISTINCT trace >> 10 FROM changed")
	if err != nil {
		return nil, err
	}
	for id := first.Int64; id < end.Int64 && len(due) < limit; id++ { // the last one is not full
		if n, _ := s.refusals.Load(id); have[id] || n == maxRefusals {
			continue
		}
		var unquiet bool
		err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM trace WHERE id BETWEEN ? AND ? AND seen >= ?)",
			id<<packBits, (id+1)<<packBits-1, quietSince.Unix()).Scan(&unquiet)
		if err != nil {
			return nil, err
		}
		if !unquiet {
			due = append(due, id)
		}
	}
	return due, nil
}

// CheckPacks drops the packs that check refuses: their questions are in rows of their own too. It tells how many they were.
func (s *Store) CheckPacks(ctx context.Context, check func(data []byte) error) (dropped int, err error) {
	var bad []int64
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT id, data FROM pack")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			var data sql.RawBytes
			if err := rows.Scan(&id, &data); err != nil {
				return err
			}
			if check(data) != nil {
				bad = append(bad, id)
			}
		}
		return rows.Err()
	})
	if err != nil {
		return 0, s.fail("read store", err)
	}
	for _, id := range bad {
		if err := s.write(ctx, func(in *inserter) error { return in.dropPack(id << packBits) }); err != nil {
			return dropped, err
		}
		dropped++
	}
	return dropped, nil
}

// pack makes a pack unless that is of no use any more. What the packer refuses is to be cut again, as it may have been damaged.
func (in *inserter) pack(id int64, pack Packer) (refused, err error) {
	first, last := id<<packBits, (id+1)<<packBits-1
	var changed int
	if err := in.get("SELECT count(*) FROM changed WHERE trace BETWEEN ? AND ?", []any{first, last}, &changed); err != nil || changed > 0 {
		return nil, err
	}
	rows, err := in.conn.QueryContext(context.Background(), "SELECT id, data FROM question WHERE id BETWEEN ? AND ? ORDER BY id", first<<placeBits, (last+1)<<placeBits-1)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var traces []byte
	var questions [][]byte
	for rows.Next() {
		var question int64
		var data []byte
		if err := rows.Scan(&question, &data); err != nil {
			return nil, err
		}
		traces = binary.LittleEndian.AppendUint16(traces, uint16(question>>placeBits-first))
		questions = append(questions, data)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	data, refused := pack(questions)
	if refused != nil {
		_, err := in.exec("INSERT INTO changed (trace, at, version) SELECT id, 0, 0 FROM trace WHERE question AND id BETWEEN ? AND ?", first, last)
		return refused, err
	}
	_, err = in.exec("INSERT INTO pack (id, traces, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", id, orEmpty(traces), orEmpty(data))
	return nil, err
}

// orEmpty is b, which SQLite would take for NULL when it is nil.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// dropPack drops the pack that has a trace in it.
func (in *inserter) dropPack(trace int64) error {
	_, err := in.exec("DELETE FROM pack WHERE id = ?", trace>>packBits)
	return err
}

// readPacks hands on the packs, and tells which there are, in their order.
func readPacks(ctx context.Context, tx *sql.Tx, changed map[int64]bool, yield func(Part) bool) (ids []int64, stopped bool, err error) {
	stale := make(map[int64]bool) // packs with a trace that changed
	for trace := range changed {
		stale[trace>>packBits] = true
	}
	rows, err := tx.QueryContext(ctx, "SELECT id, traces, data FROM pack ORDER BY id")
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var traces, data sql.RawBytes
		if err := rows.Scan(&id, &traces, &data); err != nil {
			return nil, false, err
		}
		p := Part{Data: data, Packed: true}
		if stale[id] {
			left := make([]bool, len(traces)/2)
			for i := range left {
				left[i] = changed[id<<packBits|int64(binary.LittleEndian.Uint16(traces[2*i:]))]
			}
			p.Left = func(i int) bool { return i < len(left) && left[i] }
		}
		if !yield(p) {
			return ids, true, nil
		}
		ids = append(ids, id)
	}
	return ids, false, rows.Err()
}

// numbers are those that a query finds.
func numbers(ctx context.Context, tx *sql.Tx, query string) (map[int64]bool, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[int64]bool{}
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		found[n] = true
	}
	return found, rows.Err()
}
