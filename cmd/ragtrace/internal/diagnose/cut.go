package diagnose

import "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"

// Cut finds the questions in the spans of any number of traces. Traces are independent of each other, so cutting them one
// by one with CutTrace gives the same questions.
func Cut(spans []model.Span) []Question {
	return nil
}

// CutTrace finds the questions in the spans of one trace: none (a health check, an ingestion), one, or several.
func CutTrace(spans []model.Span) []Question {
	return nil
}
