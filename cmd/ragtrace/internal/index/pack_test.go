package index

import (
	"database/sql"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/everyfield"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
)

// repack packs questions and reads them again.
func repack(t interface{ Fatal(...any) }, questions []diagnose.Question) []diagnose.Question {
	var encoded [][]byte
	for i := range questions {
		encoded = append(encoded, encode(&questions[i]))
	}
	data, err := pack(encoded)
	if err != nil {
		t.Fatal(err)
	}
	part, err := unpack(data)
	if err != nil {
		t.Fatal(err)
	}
	return diagnose.NewTable([]diagnose.Part{part}).Questions()
}

func TestAPackKeepsEveryField(t *testing.T) {
	questions := make([]diagnose.Question, 5)
	n := int64(0)
	for i := range questions[1:] {
		everyfield.Set(&questions[1+i], &n)
	}
	if diff := cmp.Diff(questions, repack(t, questions)); diff != "" {
		t.Error(diff)
	}
	if got := repack(t, nil); len(got) != 0 {
		t.Errorf("%d questions of none", len(got))
	}
}

func TestAPackKeepsAnyNumber(t *testing.T) {
	number := rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 300), rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, 1 << 32}))
	rapid.Check(t, func(t *rapid.T) {
		questions := make([]diagnose.Question, rapid.IntRange(1, 6).Draw(t, "questions"))
		start := number.Draw(t, "start")
		for i := range questions {
			q := &questions[i]
			q.Start, q.End, q.Number = start, number.Draw(t, "end"), int(number.Draw(t, "number"))
			q.RootID[7] = byte(i) // in this order
			q.Session = rapid.String().Draw(t, "session")
			q.Components[diagnose.Search], q.Stages = 0, rapid.Uint32().Draw(t, "stages")
			q.Flags = rapid.SliceOf(rapid.String()).Draw(t, "flags")
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				q.Calls = append(q.Calls, diagnose.Call{Start: number.Draw(t, "call"), Input: number.Draw(t, "input"), Model: rapid.String().Draw(t, "model")})
			}
		}
		if diff := cmp.Diff(questions, repack(t, questions)); diff != "" {
			t.Error(diff)
		}
	})
}

// Whatever the file holds, reading it ends in questions or in an error.
func FuzzUnpack(f *testing.F) {
	questions := make([]diagnose.Question, 3)
	n := int64(0)
	var encoded [][]byte
	for i := range questions {
		everyfield.Set(&questions[i], &n)
		encoded = append(encoded, encode(&questions[i]))
	}
	data, err := pack(encoded)
	if err != nil {
		f.Fatal(err)
	}
	empty, err := pack(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:len(data)-crc32.Size])
	f.Add(empty[:len(empty)-crc32.Size])
	f.Fuzz(func(t *testing.T, b []byte) {
		// Without a checksum that is right, nothing else is looked at.
		part, err := unpack(seal(slices.Clone(b)))
		if err != nil {
			return
		}
		table := diagnose.NewTable([]diagnose.Part{part})
		table.Questions()
		table.Judge(nil, nil).Verdict()
	})
}

// Packs change nothing of what is read, nor does a span that comes late to a question in one, before and after it is written.
func TestReadingPacksIsReadingQuestions(t *testing.T) {
	st := open(t)
	pipeline := otlptest.NewPipeline(3)
	for range 55 {
		appendTo(t, st, pipeline.Request(20))
	}
	fresh := func(when string) {
		t.Helper()
		parts, err := read(t.Context(), st, anew, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(diagnose.NewTable(parts).Questions(), questions(t, st)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	packs := func(want int) {
		t.Helper()
		n := 0
		for part, err := range st.Questions(t.Context(), cutter) {
			if err != nil {
				t.Fatal(err)
			}
			if part.Packed {
				n++
			}
		}
		if n != want {
			t.Fatalf("%d packs, want %d", n, want)
		}
	}
	packs(0)
	fresh("not written")
	writeAll(t, st)
	packs(1)
	fresh("packed")

	first := questions(t, st)[0]
	late := otlptest.Questions(1)
	spans := late.ResourceSpans[0].ScopeSpans[0].Spans
	spans = spans[len(spans)-1:]
	spans[0].TraceId, spans[0].ParentSpanId = first.TraceID[:], first.RootID[:]
	late.ResourceSpans[0].ScopeSpans[0].Spans = spans
	appendTo(t, st, late)
	fresh("after a late span")
	writeAll(t, st)
	fresh("after a late span, written")
}

// Questions that cannot be read any more are made of their rows or their spans, and packs that cannot be read are mended.
func TestWhatIsWrittenMayBeDamaged(t *testing.T) {
	const first, last = "(SELECT min(id) FROM question)", "(SELECT max(id) FROM question)"
	for what, damage := range map[string]string{
		"a question":              "UPDATE question SET data = x'00' WHERE id = " + last,
		"the end of a pack":       "UPDATE pack SET data = substr(data, 1, 500)",
		"a byte of a pack":        "UPDATE pack SET data = CAST(substr(data, 1, 40000) || x'ff' || substr(data, 40002) AS BLOB)",
		"a pack and its question": "UPDATE pack SET data = x''; UPDATE question SET data = x'00' WHERE id = " + first,
	} {
		t.Run(what, func(t *testing.T) {
			st := open(t)
			pipeline := otlptest.NewPipeline(3)
			for range 52 {
				appendTo(t, st, pipeline.Request(20))
			}
			writeAll(t, st)
			want := questions(t, st)
			db, err := sql.Open("sqlite", st.Path())
			if err != nil {
				t.Fatal(err)
			}
			result, err := db.Exec(damage)
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			if n, _ := result.RowsAffected(); n != 1 {
				t.Fatalf("%d rows were damaged", n)
			}
			if _, err := read(t.Context(), st, cutter, nil); !errors.Is(err, errQuestion) {
				t.Fatalf("the damage is not seen: %v", err)
			}
			if diff := cmp.Diff(want, questions(t, st)); diff != "" {
				t.Error(diff)
			}
			if what == "a question" { // of the last ones, which are in no pack: it is mended when they are
				return
			}
			for range 2 { // the first drops the pack, and finds the question that cannot be packed
				Keep(st, slog.New(slog.DiscardHandler)).Close()
			}
			parts, err := read(t.Context(), st, cutter, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, diagnose.NewTable(parts).Questions()); diff != "" {
				t.Errorf("mended: %s", diff)
			}
		})
	}
}

func TestUnpackRefusesWhatCannotBe(t *testing.T) {
	q := diagnose.Question{Session: "a", Calls: []diagnose.Call{{Model: "m"}}}
	good, err := pack([][]byte{encode(&q), encode(&q)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if _, err := unpack(good[:i]); !errors.Is(err, errQuestion) {
			t.Fatalf("the first %d bytes: %v", i, err)
		}
	}
	if _, err := unpack(append(slices.Clone(good), 0)); !errors.Is(err, errQuestion) {
		t.Errorf("a byte more: %v", err)
	}
	many := diagnose.Question{Calls: make([]diagnose.Call, 30_000)}
	if _, err := pack([][]byte{encode(&many)}); err == nil {
		t.Error("30,000 calls that take no room are packed, which reading refuses")
	}
	if _, err := pack([][]byte{{1, 2, 3}}); !errors.Is(err, errQuestion) {
		t.Errorf("packing what is no question: %v", err)
	}
}

// What packs and questions look like is told by the number format. Should this fail, the way of writing them is another one:
// raise format, so that files are written anew, and take the new sum.
func TestFormatTellsOfEveryChange(t *testing.T) {
	var q diagnose.Question
	n := int64(0)
	everyfield.Set(&q, &n)
	question := encode(&q)
	packed, err := pack([][]byte{question, question})
	if err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%d %08x %08x", format, crc32.ChecksumIEEE(question), crc32.ChecksumIEEE(packed))
	if want := "4 72102532 7a00a3ea"; sum != want {
		t.Errorf("%s, want %s", sum, want)
	}
}
