package index

import (
	"compress/gzip"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// However the spans come, one by one in any order and some twice, the store's questions are those of the spans: before they
// are written, after, and when half of the spans came in between.
func TestQuestionsAreThoseOfTheSpans(t *testing.T) {
	paths, err := filepath.Glob("../diagnose/testdata/verdict/*.otlp.json.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".otlp.json.gz"), func(t *testing.T) {
			spans, want := readCase(t, path)
			random := rand.New(rand.NewPCG(1, 2))
			random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
			st := open(t)
			half := len(spans) / 2
			for i, part := range [][]otlp.Span{spans[:half], spans[half-half/4:]} { // a part of them twice
				for len(part) > 0 {
					n := min(1+random.IntN(5), len(part))
					if err := st.Append(t.Context(), &otlp.Batch{Spans: part[:n]}); err != nil {
						t.Fatal(err)
					}
					part = part[n:]
				}
				if i == 1 {
					compare(t, "not written", questions(t, st), want)
				}
				writeAll(t, st)
			}
			compare(t, "written", questions(t, st), want)
		})
	}
}

// readCase reads the spans of a case, each once, and cuts its questions.
func readCase(t *testing.T, path string) ([]otlp.Span, []diagnose.Question) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := &otlp.Batch{}
	type id struct {
		trace model.TraceID
		span  model.SpanID
	}
	seen := map[id]bool{}
	for batch, err := range otlp.ReadJSON(r) {
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range batch.Spans {
			if !seen[id{s.TraceID, s.SpanID}] {
				seen[id{s.TraceID, s.SpanID}] = true
				all.Spans = append(all.Spans, s)
			}
		}
	}
	spans, err := all.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return all.Spans, diagnose.Cut(spans)
}

func writeAll(t *testing.T, st *store.Store) {
	t.Helper()
	k := Keep(st, nil)
	k.Close()
	if n, err := st.Behind(t.Context()); err != nil || n != 0 {
		t.Fatalf("%d traces are behind, %v", n, err)
	}
}

func compare(t *testing.T, when string, got, want []diagnose.Question) {
	t.Helper()
	byID := cmpopts.SortSlices(func(a, b diagnose.Question) bool {
		if a.TraceID != b.TraceID {
			return slices.Compare(a.TraceID[:], b.TraceID[:]) < 0
		}
		return a.Start < b.Start || a.Start == b.Start && a.Number < b.Number
	})
	if diff := cmp.Diff(want, got, byID, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}
