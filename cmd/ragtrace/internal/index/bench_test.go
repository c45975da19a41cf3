package index

import (
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// BenchmarkMillion reads and judges the questions of a million spans.
func BenchmarkMillion(b *testing.B) {
	const questions, perRequest = 83_320, 40
	st := open(b)
	pipeline := otlptest.NewPipeline(1)
	for range questions / perRequest {
		appendTo(b, st, pipeline.Request(perRequest))
	}
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			if err := st.SetQuestionFormat(b.Context(), 1000); err != nil {
				b.Fatal(err)
			}
			for behind := int64(1); behind > 0; {
				Keep(st, nil).Close()
				var err error
				if behind, err = st.Behind(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	var all []diagnose.Question
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			all = all[:0]
			for q, err := range Questions(b.Context(), st, store.QuestionFilter{}) {
				if err != nil {
					b.Fatal(err)
				}
				all = append(all, q)
			}
			if len(all) != questions {
				b.Fatal(len(all))
			}
		}
	})
	b.Run("judge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			diagnose.Judge(all)
		}
	})
}
