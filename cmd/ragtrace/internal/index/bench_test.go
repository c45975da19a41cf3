package index

import (
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
)

// BenchmarkMillion reads and judges the questions of a million spans.
func BenchmarkMillion(b *testing.B) {
	const questions, perRequest = 83_320, 40
	st := open(b)
	pipeline := otlptest.NewPipeline(1)
	for range questions / perRequest {
		appendTo(b, st, pipeline.Request(perRequest))
	}
	write := func(b *testing.B) {
		if err := st.SetQuestionFormat(b.Context(), format+1); err != nil {
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
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			write(b)
		}
	})
	write(b)
	read := func(b *testing.B) *diagnose.Table {
		all, err := Read(b.Context(), st, nil)
		if err != nil || all.Len() != questions {
			b.Fatal(all, err)
		}
		return all
	}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			read(b)
		}
	})
	b.Run("judge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			read(b).Judge(nil, nil)
		}
	})
}
