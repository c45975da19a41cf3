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

// A Question is what the store keeps of a question beside its spans. What is in Data is for those to say who cut the spans;
// the rest is what can be asked for.
type Question struct {
	Start   int64  // Unix nanoseconds; 0 when unknown
	Session string // "" for none
	Data    []byte
}

// A Cutter makes the questions of a trace from its spans. Format tells one way of writing them from others: what was
// written in another is made anew.
type Cutter struct {
	Format int // from 1
	Cut    func([]model.Span) []Question
}

// A QuestionFilter chooses questions. Its zero value chooses all.
type QuestionFilter struct {
	Session      string    // "" for any
	Since, Until time.Time // questions that started in [Since, Until); zero for no limit; without a start: none
}

// limits are those of the start of a question; limited is false when there are none.
func (f QuestionFilter) limits() (from, to int64, limited bool) {
	from, to = bounds(f.Since, f.Until)
	return from, to, !f.Since.IsZero() || !f.Until.IsZero()
}

func (f QuestionFilter) takes(q Question) bool {
	from, to, limited := f.limits()
	return (f.Session == "" || q.Session == f.Session) && (!limited || q.Start != 0 && from <= q.Start && q.Start <= to)
}

// Questions reads the data of questions, all as of one moment, in no particular order. Those of traces whose spans came
// after the questions were last written are made of the spans here, so that nothing is missing, whoever else is at work on
// the file. The data is valid until the next question. An error ends the sequence; a DamagedError comes when all else
// was read.
func (s *Store) Questions(ctx context.Context, f QuestionFilter, c Cutter) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		stopped := false
		err := s.inTx(ctx, func(tx *sql.Tx) error {
			return readQuestions(ctx, tx, f, c, func(data []byte) bool {
				stopped = !yield(data, nil)
				return !stopped
			})
		})
		if err != nil && !stopped {
			yield(nil, s.fail("read store", err))
		}
	}
}

func readQuestions(ctx context.Context, tx *sql.Tx, f QuestionFilter, c Cutter, yield func([]byte) bool) error {
	var format int
	if err := tx.QueryRowContext(ctx, "SELECT format FROM question_format").Scan(&format); err != nil {
		return err
	}
	behind := "t.question"
	if format == c.Format {
		behind = "t.id IN (SELECT trace FROM changed)"
		if stopped, err := readRows(ctx, tx, f, yield); err != nil || stopped {
			return err
		}
	}
	return readTraces(ctx, tx, selectChunks+" WHERE "+behind+" ORDER BY t.id, c.id", nil, func(_ int64, spans []model.Span) bool {
		for _, q := range c.Cut(spans) {
			if f.takes(q) && !yield(q.Data) {
				return false
			}
		}
		return true
	})
}

// readRows reads the questions that are up to date.
func readRows(ctx context.Context, tx *sql.Tx, f QuestionFilter, yield func([]byte) bool) (stopped bool, err error) {
	changed, err := changedTraces(ctx, tx)
	if err != nil {
		return false, err
	}
	query, args := "SELECT id, data FROM question WHERE true", []any(nil)
	if f.Session != "" {
		query, args = query+" AND session = ?", append(args, f.Session)
	}
	if from, to, limited := f.limits(); limited {
		query, args = query+" AND start <> 0 AND start BETWEEN ? AND ?", append(args, from, to)
	}
	rows, err := tx.QueryContext(ctx, query, args...)
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
		if !changed[id>>placeBits] && !yield(data) {
			return true, nil
		}
	}
	return false, rows.Err()
}

func changedTraces(ctx context.Context, tx *sql.Tx) (map[int64]bool, error) {
	rows, err := tx.QueryContext(ctx, "SELECT trace FROM changed")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	changed := map[int64]bool{}
	for rows.Next() {
		var trace int64
		if err := rows.Scan(&trace); err != nil {
			return nil, err
		}
		changed[trace] = true
	}
	return changed, rows.Err()
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
		questions      []Question
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

func (in *inserter) questions(trace int64, spans int, questions []Question) error {
	if len(questions) > 1<<placeBits {
		return errPlace
	}
	if _, err := in.exec("DELETE FROM question WHERE id BETWEEN ? AND ?", trace<<placeBits, (trace+1)<<placeBits-1); err != nil {
		return err
	}
	for i, q := range questions {
		if _, err := in.exec("INSERT INTO question (id, start, session, data) VALUES (?, ?, ?, ?)",
			trace<<placeBits|int64(i), q.Start, q.Session, q.Data); err != nil {
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
