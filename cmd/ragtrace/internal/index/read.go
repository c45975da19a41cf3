package index

import (
	"context"
	"errors"
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// cutter makes the store's questions.
var cutter = store.Cutter{Format: format, Cut: cut}

func cut(spans []model.Span) []store.Question {
	var rows []store.Question
	for _, q := range diagnose.CutTrace(spans) {
		rows = append(rows, store.Question{Start: q.Start, Session: q.Session, Data: encode(nil, &q)})
	}
	return rows
}

// block is how many questions are handed on, and decoded, together.
const block = 1024

// Read reads the questions of a store, those of spans that came a moment ago included, in no particular order. tell, unless
// it is nil, is told from time to time how many were read. With a store.DamagedError come the questions of all other traces.
func Read(ctx context.Context, st *store.Store, f store.QuestionFilter, tell func(n int)) ([]diagnose.Question, error) {
	// One reads while another decodes.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	blocks := make(chan rows, 4)
	var failed error // set before blocks is closed
	go func() {
		defer close(blocks)
		failed = readRows(ctx, st, f, blocks)
	}()
	d := newDecoder()
	var decoded [][]diagnose.Question
	var broken error
	n := 0
	for block := range blocks {
		if broken != nil {
			continue
		}
		if n += len(block.ends); tell != nil {
			tell(n)
		}
		questions := make([]diagnose.Question, len(block.ends))
		if broken = d.rows(block, questions); broken != nil {
			cancel()
		}
		decoded = append(decoded, questions)
	}
	if broken != nil {
		return nil, broken
	}
	if _, damaged := errors.AsType[*store.DamagedError](failed); failed != nil && !damaged {
		return nil, failed
	}
	return slices.Concat(decoded...), failed
}

// rows are the data of questions, one after another.
type rows struct {
	data []byte
	ends []int
}

func readRows(ctx context.Context, st *store.Store, f store.QuestionFilter, blocks chan<- rows) error {
	var next rows
	size := 0
	hand := func() {
		select {
		case blocks <- next:
		case <-ctx.Done():
		}
		size = max(size, len(next.data))
		next = rows{make([]byte, 0, size), make([]int, 0, block)}
	}
	var damaged error // which comes last
	for data, err := range st.Questions(ctx, f, cutter) {
		if _, ok := errors.AsType[*store.DamagedError](err); ok {
			damaged = err
			break
		}
		if err != nil {
			return err
		}
		next.data = append(next.data, data...)
		if next.ends = append(next.ends, len(next.data)); len(next.ends) == block {
			hand()
		}
	}
	if len(next.ends) > 0 {
		hand()
	}
	return damaged
}

// rows decodes as many questions as there are.
func (d *decoder) rows(from rows, into []diagnose.Question) error {
	start := 0
	for i, end := range from.ends {
		if err := d.question(from.data[start:end], &into[i]); err != nil {
			return err
		}
		start = end
	}
	return nil
}
