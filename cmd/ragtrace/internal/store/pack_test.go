package store_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// perPack is how many traces lie in a pack.
const perPack = 1024

// numbered is a span of each of the traces from first on, n of them; its start is the number of its trace.
func numbered(first, n int) *coltracepb.ExportTraceServiceRequest {
	spans := make([]*tracepb.Span, n)
	for i := range spans {
		spans[i] = spanOf(0, uint64(first+i), "s")
		spans[i].TraceId = binary.BigEndian.AppendUint64(make([]byte, 8), uint64(first+i))
	}
	return otlptest.Request(spans...)
}

// namer makes one question of a trace: "trace: how many spans".
var namer = store.Cutter{Format: 1, Cut: func(spans []model.Span) [][]byte {
	return [][]byte{fmt.Appendf(nil, "%d: %d", binary.BigEndian.Uint64(spans[0].TraceID[8:]), len(spans))}
}}

func joined(questions [][]byte) ([]byte, error) { return bytes.Join(questions, []byte("\n")), nil }

func pack(t *testing.T, s *store.Store, want int) {
	t.Helper()
	if n, err := s.PackQuestions(t.Context(), joined, time.Now().Add(time.Hour), 100); err != nil || n != want {
		t.Fatalf("%d packs were made, %v, want %d", n, err, want)
	}
}

// packed reads the questions that are in packs, those that are in none, and checks that they are all that there are.
func packed(t *testing.T, s *store.Store, all int) (in, out []string) {
	t.Helper()
	for part, err := range s.Questions(t.Context(), namer) {
		if err != nil {
			t.Fatal(err)
		}
		if !part.Packed {
			out = append(out, string(part.Data))
			continue
		}
		for i, q := range bytes.Split(part.Data, []byte("\n")) {
			if part.Left == nil || !part.Left(i) {
				in = append(in, string(q))
			}
		}
	}
	names := map[string]bool{}
	for _, q := range slices.Concat(in, out) {
		names[q] = true
	}
	if len(in)+len(out) != all || len(names) != all {
		t.Fatalf("%d questions in packs and %d in none, %d different ones, want %d", len(in), len(out), len(names), all)
	}
	return in, out
}

func TestPacks(t *testing.T) {
	s := open(t, "")
	if err := s.SetQuestionFormat(t.Context(), namer.Format); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Hour)
	write := func(want int) {
		t.Helper()
		for n := 0; n < want; n += 100 {
			update(t, s, namer, soon, min(100, want-n))
		}
	}
	appendTo(t, s, numbered(1, 2*perPack)) // rows begin at 1, so that the first pack has one trace less
	pack(t, s, 0)                          // nothing is written yet
	packed(t, s, 2*perPack)
	write(2 * perPack)
	if n, err := s.PackQuestions(t.Context(), joined, time.Now().Add(-time.Minute), 100); err != nil || n != 0 {
		t.Fatalf("%d packs of what has come just now, %v", n, err)
	}
	pack(t, s, 2)
	pack(t, s, 0)
	in, out := packed(t, s, 2*perPack)
	if len(in) != 2*perPack-1 || !cmp.Equal(out, []string{"2048: 1"}) {
		t.Fatalf("%d in packs; %v in none", len(in), out)
	}

	// A span that comes late takes its question out of its pack at once, and the pack away when it is written.
	late := numbered(5, 1)
	late.ResourceSpans[0].ScopeSpans[0].Spans[0].SpanId = otlptest.ID(8)
	appendTo(t, s, late)
	in, out = packed(t, s, 2*perPack)
	slices.Sort(out)
	if len(in) != 2*perPack-2 || !cmp.Equal(out, []string{"2048: 1", "5: 2"}) {
		t.Fatalf("after a late span %d in packs; %v in none", len(in), out)
	}
	pack(t, s, 0) // not while one is behind
	write(1)
	if in, _ = packed(t, s, 2*perPack); len(in) != perPack || slices.Contains(in, "6: 1") {
		t.Fatalf("%d in packs, want those of the second", len(in))
	}
	pack(t, s, 1)
	if in, _ = packed(t, s, 2*perPack); len(in) != 2*perPack-1 || !slices.Contains(in, "5: 2") {
		t.Fatalf("%d in packs, want all but one", len(in))
	}

	// What is pruned is in no pack.
	if pruned, err := s.Prune(t.Context(), store.Limits{Traces: 2*perPack - 10}, false); err != nil || pruned.Traces != 10 {
		t.Fatalf("%+v, %v", pruned, err)
	}
	packed(t, s, 2*perPack-10)
	pack(t, s, 1)
	packed(t, s, 2*perPack-10)

	// Another format has no packs before its questions are written.
	if err := s.SetQuestionFormat(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if in, _ = packed(t, s, 2*perPack-10); len(in) != 0 {
		t.Errorf("%d questions of an old format", len(in))
	}
}

func TestAPackThatCannotBeMadeIsAnError(t *testing.T) {
	s := open(t, "")
	appendTo(t, s, numbered(1, perPack))
	for range 11 {
		if _, err := s.UpdateQuestions(t.Context(), namer, time.Now().Add(time.Hour), 100); err != nil {
			t.Fatal(err)
		}
	}
	bad := fmt.Errorf("bad")
	n, err := s.PackQuestions(t.Context(), func([][]byte) ([]byte, error) { return nil, bad }, time.Now().Add(time.Hour), 1)
	if n != 0 || err == nil {
		t.Errorf("%d packs, %v", n, err)
	}
	pack(t, s, 1) // the next try succeeds
}
