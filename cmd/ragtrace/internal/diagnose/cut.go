package diagnose

import (
	"cmp"
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// Cut finds the questions in the spans of any number of traces, ordered by start, then trace. Traces are independent of
// each other, so cutting them one by one with CutTrace finds the same questions.
func Cut(spans []model.Span) []Question {
	traces := make(map[model.TraceID][]*model.Span)
	for i := range spans {
		id := spans[i].TraceID
		traces[id] = append(traces[id], &spans[i])
	}
	var questions []Question
	for _, trace := range traces {
		questions = append(questions, cutTrace(trace)...)
	}
	sortByStart(questions)
	return questions
}

// CutTrace finds the questions in the spans of one trace: none (a health check, an ingestion), one, or several.
func CutTrace(spans []model.Span) []Question {
	trace := make([]*model.Span, len(spans))
	for i := range spans {
		trace[i] = &spans[i]
	}
	questions := cutTrace(trace)
	sortByStart(questions)
	return questions
}

func sortByStart(questions []Question) {
	slices.SortFunc(questions, func(a, b Question) int { return byStart(&a, &b) })
}

// byStart orders questions by time; the rest of the order only makes it the same every time.
func byStart(a, b *Question) int {
	if a.Start != b.Start {
		return cmp.Compare(a.Start, b.Start)
	}
	return cmp.Or(
		slices.Compare(a.TraceID[:], b.TraceID[:]),
		slices.Compare(a.RootID[:], b.RootID[:]),
		cmp.Compare(a.Session, b.Session),
		cmp.Compare(a.Number, b.Number),
	)
}

func cutTrace(spans []*model.Span) []Question {
	f := plant(spans)
	roots := f.roots()
	orphans, rest := f.orphans(roots)
	questions := make([]Question, 0, len(roots))
	for i, root := range roots {
		questions = append(questions, measure(grow(f, root, orphans[i])))
	}
	return append(questions, f.rootless(rest, len(roots) == 0)...)
}
