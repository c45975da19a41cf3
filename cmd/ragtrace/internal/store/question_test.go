package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// counter makes one question of a trace, which says how many spans it was made of.
func counter(format int) store.Cutter {
	return store.Cutter{Format: format, Cut: func(spans []model.Span) [][]byte {
		return [][]byte{fmt.Appendf(nil, "%d: %d", spans[0].TraceID[0], len(spans))}
	}}
}

func read(t *testing.T, s *store.Store, c store.Cutter) []string {
	t.Helper()
	var all []string
	for part, err := range s.Questions(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(part.Data))
	}
	slices.Sort(all)
	return all
}

func update(t *testing.T, s *store.Store, c store.Cutter, quietSince time.Time, want int) {
	t.Helper()
	if n, err := s.UpdateQuestions(t.Context(), c, quietSince, 100); err != nil || n != want {
		t.Fatalf("questions of %d traces were written, %v, want %d", n, err, want)
	}
}

func spanOf(trace byte, start uint64, session string) *tracepb.Span {
	return span(trace, start, "ragtrace.stage", "question", "session.id", session)
}

func TestQuestionsAreUpToDateAtAnyTime(t *testing.T) {
	s := open(t, "")
	if err := s.SetQuestionFormat(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Hour)
	check := func(when string, c store.Cutter, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, read(t, s, c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("empty", counter(1))
	appendTo(t, s, otlptest.Request(spanOf(1, 10, "a"), spanOf(2, 20, "b"), span(3, 30, "http.route", "/healthz")))
	check("not written", counter(1), "1: 1", "2: 1")
	update(t, s, counter(1), time.Now().Add(-time.Minute), 0) // not quiet for so long
	update(t, s, counter(1), soon, 2)
	update(t, s, counter(1), soon, 0)
	check("written", counter(1), "1: 1", "2: 1")

	appendTo(t, s, otlptest.Request(span(1, 11)))
	check("a late span", counter(1), "1: 2", "2: 1")
	update(t, s, counter(1), soon, 1)
	check("a late span, written", counter(1), "1: 2", "2: 1")

	// A span that comes while questions are cut.
	appendTo(t, s, otlptest.Request(span(1, 12)))
	during := counter(1)
	during.Cut = func(spans []model.Span) [][]byte {
		appendTo(t, s, otlptest.Request(span(1, 13)))
		return counter(1).Cut(spans)
	}
	update(t, s, during, soon, 1)
	check("a span in between", counter(1), "1: 4", "2: 1")
	update(t, s, counter(1), soon, 1)
	check("a span in between, written", counter(1), "1: 4", "2: 1")

	// Another format.
	check("another format", counter(2), "1: 4", "2: 1")
	if err := s.SetQuestionFormat(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	check("another format is due", counter(2), "1: 4", "2: 1")
	update(t, s, counter(2), soon, 2)
	check("another format, written", counter(2), "1: 4", "2: 1")
	if err := s.SetQuestionFormat(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	update(t, s, counter(2), soon, 0)
}

func TestQuestionsCanBeLeft(t *testing.T) {
	s := open(t, "")
	appendTo(t, s, otlptest.Questions(5))
	for _, f := range []int{1, 2} {
		n := 0
		for _, err := range s.Questions(t.Context(), counter(1)) {
			if n++; err != nil {
				t.Fatal(err)
			}
			break
		}
		if n != 1 {
			t.Errorf("%d questions", n)
		}
		if err := s.SetQuestionFormat(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		update(t, s, counter(f), time.Now().Add(time.Hour), 5)
	}
}
