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

var (
	// unpacked reads no packs.
	unpacked = store.Cutter{Format: format, Cut: cut, Unpacked: true}
	// anew makes all questions of their spans, whatever is written.
	anew = store.Cutter{Cut: cut}
)

func cut(spans []model.Span) [][]byte {
	var questions [][]byte
	for _, q := range diagnose.CutTrace(spans) {
		questions = append(questions, encode(&q))
	}
	return questions
}

// Read reads the questions of a store, those of spans that came a moment ago included. tell, unless it is nil, is told from
// time to time how many were read. With a store.DamagedError come the questions of all other traces.
func Read(ctx context.Context, st *store.Store, tell func(n int)) (*diagnose.Table, error) {
	parts, err := read(ctx, st, cutter, tell)
	for _, c := range []store.Cutter{unpacked, anew} { // what a damaged pack or question was made of may be whole still
		if errors.Is(err, errQuestion) {
			parts, err = read(ctx, st, c, tell)
		}
	}
	if _, damaged := errors.AsType[*store.DamagedError](err); err != nil && !damaged {
		return nil, err
	}
	return diagnose.NewTable(parts), err
}

// often is after how many questions that are in no pack Read tells of them.
const often = 1024

func read(ctx context.Context, st *store.Store, c store.Cutter, tell func(n int)) ([]diagnose.Part, error) {
	// One reads while another makes sense of it.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts := make(chan store.Part, 16)
	var failed error // set before parts is closed
	go func() {
		defer close(parts)
		for part, err := range st.Questions(ctx, c) {
			if err != nil {
				failed = err
				return
			}
			part.Data = slices.Clone(part.Data)
			select {
			case parts <- part:
			case <-ctx.Done():
				failed = ctx.Err()
				return
			}
		}
	}()
	var all []diagnose.Part
	var single []*diagnose.Question
	var broken error
	d := newDecoder()
	n, told := 0, 0
	for part := range parts {
		switch {
		case broken != nil: // the other one is about to end
		case part.Packed:
			var p diagnose.Part
			p, broken = unpack(part.Data)
			p.Left = part.Left
			all = append(all, p)
			n += p.N[diagnose.OfQuestions]
		default:
			q := &take(&d.questions, 1)[0]
			broken = d.question(part.Data, q)
			single = append(single, q)
			n++
		}
		if broken != nil {
			cancel()
		} else if n-told >= often && tell != nil {
			tell(n)
			told = n
		}
	}
	if broken != nil {
		return nil, broken
	}
	if _, damaged := errors.AsType[*store.DamagedError](failed); failed != nil && !damaged {
		return nil, failed
	}
	return append(all, diagnose.PartOf(single)), failed
}
