package index

import (
	"context"
	"iter"

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

// Questions reads the questions of a store, those of spans that came a moment ago included, in no particular order. An
// error ends the sequence.
func Questions(ctx context.Context, st *store.Store, f store.QuestionFilter) iter.Seq2[diagnose.Question, error] {
	return func(yield func(diagnose.Question, error) bool) {
		d := newDecoder()
		for row, err := range st.Questions(ctx, f, cutter) {
			var q diagnose.Question
			if err == nil {
				err = d.question(row.Data, &q)
			}
			if !yield(q, err) || err != nil {
				return
			}
		}
	}
}
