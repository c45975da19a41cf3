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

// anew makes all questions of their spans, whatever is written.
var anew = store.Cutter{Cut: cut}

func cut(spans []model.Span) [][]byte {
	var questions [][]byte
	for _, q := range diagnose.CutTrace(spans) {
		questions = append(questions, encode(nil, &q))
	}
	return questions
}

// Read reads the questions of a store, those of spans that came a moment ago included. tell, unless it is nil, is told from
// time to time how many were read. With a store.DamagedError come the questions of all other traces.
func Read(ctx context.Context, st *store.Store, tell func(n int)) (*diagnose.Table, error) {
	parts, err := read(ctx, st, cutter, tell)
	if errors.Is(err, errQuestion) {
		// The spans may be whole still.
		parts, err = read(ctx, st, anew, tell)
	}
	if _, damaged := errors.AsType[*store.DamagedError](err); err != nil && !damaged {
		return nil, err
	}
	return diagnose.NewTable(parts), err
}

// often is after how many questions that are in no pack Read tells of them.
const often = 1024

func read(ctx context.Context, st *store.Store, c store.Cutter, tell func(n int)) ([]diagnose.Part, error) {
	var parts []diagnose.Part
	var single []*diagnose.Question
	var damaged error // which comes last
	d := newDecoder()
	n, told := 0, 0
	for part, err := range st.Questions(ctx, c) {
		if _, ok := errors.AsType[*store.DamagedError](err); ok {
			damaged = err
			break
		}
		if err != nil {
			return nil, err
		}
		if part.Packed {
			p, err := unpack(slices.Clone(part.Data))
			if err != nil {
				return nil, err
			}
			p.Left = part.Left
			parts = append(parts, p)
			n += p.N[diagnose.OfQuestions]
		} else {
			q := &take(&d.questions, 1)[0]
			if err := d.question(part.Data, q); err != nil {
				return nil, err
			}
			single = append(single, q)
			n++
		}
		if n-told >= often && tell != nil {
			tell(n)
			told = n
		}
	}
	return append(parts, diagnose.PartOf(single)), damaged
}
