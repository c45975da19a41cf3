package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
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

// A question that cannot be packed has its neighbours cut again, as it may be damaged, and holds up no other pack.
func TestAPackThatIsRefused(t *testing.T) {
	s := open(t, "")
	if err := s.SetQuestionFormat(t.Context(), namer.Format); err != nil {
		t.Fatal(err)
	}
	appendTo(t, s, numbered(1, 3*perPack))
	write := func(want int) {
		t.Helper()
		n, err := s.UpdateQuestions(t.Context(), namer, time.Now().Add(time.Hour), 5*perPack)
		if err != nil || n != want {
			t.Fatalf("%d traces were written, %v, want %d", n, err, want)
		}
	}
	write(3 * perPack)
	bad := errors.New("bad")
	refuse := func(questions [][]byte) ([]byte, error) {
		if slices.ContainsFunc(questions, func(q []byte) bool { return string(q) == "1500: 1" }) { // of the second pack
			return nil, bad
		}
		return joined(questions)
	}
	try := func(wantLooked, wantFailures int) {
		t.Helper()
		looked, failures := 0, 0
		for range 5 {
			n, err := s.PackQuestions(t.Context(), refuse, time.Now().Add(time.Hour), 1)
			looked += n
			if err != nil {
				failures++
				if !errors.Is(err, bad) {
					t.Error(err)
				}
			}
		}
		if looked != wantLooked || failures != wantFailures {
			t.Errorf("%d packs were looked at, %d times with an error; want %d, %d times", looked, failures, wantLooked, wantFailures)
		}
		if in, _ := packed(t, s, 3*perPack); len(in) != 2*perPack-1 {
			t.Errorf("%d questions are in packs, want those of the first and the third", len(in))
		}
	}
	try(3, 1)
	write(perPack) // it was not the file
	try(1, 1)
	write(perPack)
	try(0, 0)
}

func TestBadPacksAreDropped(t *testing.T) {
	s := open(t, "")
	appendTo(t, s, numbered(1, 3*perPack))
	if err := s.SetQuestionFormat(t.Context(), namer.Format); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdateQuestions(t.Context(), namer, time.Now().Add(time.Hour), 5*perPack); err != nil {
		t.Fatal(err)
	}
	pack(t, s, 3)
	n, err := s.CheckPacks(t.Context(), func(data []byte) error {
		if bytes.Contains(data, []byte("1500: 1")) {
			return errors.New("bad")
		}
		return nil
	})
	if err != nil || n != 1 {
		t.Fatalf("%d packs were dropped, %v, want 1", n, err)
	}
	if in, _ := packed(t, s, 3*perPack); len(in) != 2*perPack-1 {
		t.Errorf("%d questions are in packs, want those of the first and the third", len(in))
	}
	pack(t, s, 1)
}

// Whoever looks now and then sees that a trace has changed and was written, although nothing is behind before and after.
func TestVersionTellsOfWhatWasWrittenBetweenTwoLooks(t *testing.T) {
	s := open(t, "")
	if err := s.SetQuestionFormat(t.Context(), namer.Format); err != nil {
		t.Fatal(err)
	}
	version := func() string {
		t.Helper()
		v, err := s.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	appendTo(t, s, numbered(1, 2))
	update(t, s, namer, time.Now().Add(time.Hour), 2)
	before := version()
	if again := version(); again != before {
		t.Errorf("%s and then %s, and nothing has happened", before, again)
	}
	late := numbered(1, 1)
	late.ResourceSpans[0].ScopeSpans[0].Spans[0].SpanId = otlptest.ID(8)
	appendTo(t, s, late)
	update(t, s, namer, time.Now().Add(time.Hour), 1)
	changed := version()
	if changed == before {
		t.Errorf("%s, although a question was written again", changed)
	}
	if _, err := s.Prune(t.Context(), store.Limits{Traces: 1}, false); err != nil {
		t.Fatal(err)
	}
	if version() == changed {
		t.Errorf("%s, although a question went", changed)
	}
}
