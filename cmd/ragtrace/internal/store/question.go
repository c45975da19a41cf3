package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A Cutter makes the questions of a trace from its spans, as data that is for those to know who cut them. Format tells one way
// of writing them from others, from 1: what was written in another is made anew.
type Cutter struct {
	Format int
	Cut    func([]model.Span) [][]byte
	// Unpacked has all questions read one by one, as when a pack is damaged.
	Unpacked bool
}

// A Part is a question as a Cutter wrote it, or many as a Packer put them together.
type Part struct {
	Data   []byte
	Packed bool
	Left   func(i int) bool // tells of questions of a pack that are out of date; nil when none is
}

// Questions reads all questions, as of one moment, in no particular order. Those of traces whose spans came after the
// questions were last written are made of the spans here, so that nothing is missing, whoever else is at work on the file. A
// part is valid until the next one. An error ends the sequence; a DamagedError comes when all else was read.
func (s *Store) Questions(ctx context.Context, c Cutter) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		stopped := false
		err := s.inTx(ctx, func(tx *sql.Tx) error {
			return readQuestions(ctx, tx, c, func(p Part) bool {
				stopped = !yield(p, nil)
				return !stopped
			})
		})
		if err != nil && !stopped {
			yield(Part{}, s.fail("read store", err))
		}
	}
}

func readQuestions(ctx context.Context, tx *sql.Tx, c Cutter, yield func(Part) bool) error {
	var format int
	if err := tx.QueryRowContext(ctx, "SELECT format FROM question_format").Scan(&format); err != nil {
		return err
	}
	behind := "t.question"
	if format == c.Format {
		behind = "t.id IN (SELECT trace FROM changed)"
		if stopped, err := readWritten(ctx, tx, !c.Unpacked, yield); err != nil || stopped {
			return err
		}
	}
	return readTraces(ctx, tx, selectChunks+" WHERE "+behind+" ORDER BY t.id, c.id", nil, func(_ int64, spans []model.Span) bool {
		for _, q := range c.Cut(spans) {
			if !yield(Part{Data: q}) {
				return false
			}
		}
		return true
	})
}

// readWritten reads the questions that are up to date: packs, and what is in none.
func readWritten(ctx context.Context, tx *sql.Tx, packed bool, yield func(Part) bool) (stopped bool, err error) {
	changed, err := numbers(ctx, tx, "SELECT trace FROM changed")
	if err != nil {
		return false, err
	}
	var packs []int64
	if packed {
		if packs, stopped, err = readPacks(ctx, tx, changed, yield); err != nil || stopped {
			return stopped, err
		}
	}
	from := int64(math.MinInt64)
	for _, pack := range packs {
		if stopped, err := readRows(ctx, tx, from, pack<<packBits<<placeBits, changed, yield); err != nil || stopped {
			return stopped, err
		}
		from = (pack + 1) << packBits << placeBits
	}
	return readRows(ctx, tx, from, math.MaxInt64, changed, yield)
}

// readRows reads the questions from a row on and before another one.
func readRows(ctx context.Context, tx *sql.Tx, from, to int64, changed map[int64]bool, yield func(Part) bool) (stopped bool, err error) {
	if from == to {
		return false, nil
	}
	rows, err := tx.QueryContext(ctx, "SELECT id, data FROM question WHERE id >= ? AND id < ?", from, to)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	var id int64
	var data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&id, &data); err != nil {
			return false, err
		}
		if !changed[id>>placeBits] && !yield(Part{Data: data}) {
			return true, nil
		}
	}
	return false, rows.Err()
}

// givenUp is when a trace is quiet that nobody can cut: never. It stays among those that changed, so that whoever reads is
// told of it.
const givenUp = math.MaxInt64

// UpdateQuestions writes the questions of traces that changed and have been quiet since a moment; of at most limit traces.
// It tells of how many it was. A trace that changes meanwhile is left for the next time. After a DamagedError the others are
// written, and the damaged ones are not tried again before more of them comes.
func (s *Store) UpdateQuestions(ctx context.Context, c Cutter, quietSince time.Time, limit int) (traces int, err error) {
	type update struct {
		trace, version int64
		spans          int
		questions      [][]byte
	}
	var updates []update // by trace
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		quiet := []any{quietSince.UnixMilli(), limit}
		rows, err := tx.QueryContext(ctx, "SELECT trace, version FROM changed WHERE at <= ? ORDER BY trace LIMIT ?", quiet...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var u update
			if err := rows.Scan(&u.trace, &u.version); err != nil {
				return err
			}
			updates = append(updates, u)
		}
		if err := rows.Err(); err != nil || len(updates) == 0 {
			return err
		}
		query := selectChunks + " WHERE t.id IN (SELECT trace FROM changed WHERE at <= ? ORDER BY trace LIMIT ?) ORDER BY t.id, c.id"
		return readTraces(ctx, tx, query, quiet, func(trace int64, spans []model.Span) bool {
			i, _ := slices.BinarySearchFunc(updates, trace, func(u update, trace int64) int { return cmp.Compare(u.trace, trace) })
			updates[i].spans, updates[i].questions = len(spans), c.Cut(spans)
			return true
		})
	})
	var damaged DamagedError
	if err := damaged.join(err); err != nil {
		return 0, s.fail("read store", err)
	}
	if len(updates) == 0 {
		return 0, nil
	}
	err = s.write(ctx, func(in *inserter) error {
		return in.inTx(func() error {
			if err := in.countWrite(); err != nil {
				return err
			}
			for _, u := range updates {
				if slices.Contains(damaged.rows, u.trace) {
					if _, err := in.exec("UPDATE changed SET at = ? WHERE trace = ? AND version = ?", givenUp, u.trace, u.version); err != nil {
						return err
					}
					continue
				}
				done, err := in.exec("DELETE FROM changed WHERE trace = ? AND version = ?", u.trace, u.version)
				if err != nil {
					return err
				}
				if done == 0 { // changed again, or gone
					continue
				}
				if err := in.questions(u.trace, u.spans, u.questions); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil && damaged.Traces != nil {
		err = s.fail("read store", &damaged)
	}
	return len(updates), err
}

// countWrite tells Version that questions are other ones now.
func (in *inserter) countWrite() error {
	_, err := in.exec("UPDATE question_format SET writes = writes + 1")
	return err
}

func (in *inserter) questions(trace int64, spans int, questions [][]byte) error {
	if len(questions) > 1<<placeBits {
		return errPlace
	}
	if _, err := in.exec("DELETE FROM question WHERE id BETWEEN ? AND ?", trace<<placeBits, (trace+1)<<placeBits-1); err != nil {
		return err
	}
	if err := in.dropPack(trace); err != nil {
		return err
	}
	for i, q := range questions {
		if _, err := in.exec("INSERT INTO question (id, data) VALUES (?, ?)", trace<<placeBits|int64(i), q); err != nil {
			return err
		}
	}
	// Spans that came twice were counted twice.
	_, err := in.exec("UPDATE trace SET spans = ? WHERE id = ? AND spans <> ?", spans, trace, spans)
	return err
}

// SetQuestionFormat has all questions written anew, by UpdateQuestions, when they are in another format.
func (s *Store) SetQuestionFormat(ctx context.Context, format int) error {
	if format <= 0 {
		return errors.New("the format of questions is a number from 1")
	}
	return s.write(ctx, func(in *inserter) error {
		return in.inTx(func() error {
			n, err := in.exec("UPDATE question_format SET format = ? WHERE format <> ?", format, format)
			if err != nil || n == 0 {
				return err
			}
			if _, err := in.exec("DELETE FROM question"); err != nil {
				return err
			}
			if _, err := in.exec("DELETE FROM pack"); err != nil {
				return err
			}
			_, err = in.exec("INSERT INTO changed (trace, at, version) SELECT id, 0, 0 FROM trace WHERE question ON CONFLICT DO NOTHING")
			return err
		})
	})
}

// Behind is how many traces have changed since their questions were written.
func (s *Store) Behind(ctx context.Context) (n int64, err error) {
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM changed").Scan(&n); err != nil {
		return 0, s.fail("read store", err)
	}
	return n, nil
}
