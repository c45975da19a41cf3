package index

import (
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// millionQuestions is how many questions a million spans are, of 12 each.
const millionQuestions = 83_320

// million stores a million spans, and writes and packs their questions.
func million(b *testing.B, st *store.Store) {
	const perRequest = 40
	pipeline := otlptest.NewPipeline(1)
	for range millionQuestions / perRequest {
		appendTo(b, st, pipeline.Request(perRequest))
	}
	writeMillion(b, st)
	Keep(st, nil).Close() // and what is left to pack
}

func writeMillion(b *testing.B, st *store.Store) {
	for behind := int64(1); behind > 0; {
		Keep(st, nil).Close()
		var err error
		if behind, err = st.Behind(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMillion writes, reads and judges the questions of a million spans.
func BenchmarkMillion(b *testing.B) {
	st := open(b)
	million(b, st)
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			if err := st.SetQuestionFormat(b.Context(), format+1); err != nil {
				b.Fatal(err)
			}
			writeMillion(b, st)
		}
	})
	Keep(st, nil).Close() // and what is left to pack
	read := func(b *testing.B) *diagnose.Table {
		all, err := Read(b.Context(), st, nil)
		if err != nil || all.Len() != millionQuestions {
			b.Fatal(all, err)
		}
		return all
	}
	// What the commands do between opening the file and writing: a session is one of twenty.
	for name, work := range map[string]func(all *diagnose.Table){
		"read":    func(*diagnose.Table) {},
		"slow":    func(all *diagnose.Table) { all.Judge(nil, nil).Digest(60, 6, 3) },
		"session": func(all *diagnose.Table) { all.Judge(nil, all.SessionIs("session-1")).Digest(60, 6, 3) },
		"all":     func(all *diagnose.Table) { all.Judge(nil, nil).Report() },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				work(read(b))
			}
		})
	}
}
