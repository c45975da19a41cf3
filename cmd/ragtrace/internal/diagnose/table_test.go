package diagnose

import (
	stdcmp "cmp"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/everyfield"
)

// stored is a table of questions that are not there any more, in parts.
func stored(questions []Question, sizes ...int) *Table {
	questions = slices.Clone(questions) // which callers sort
	var parts []Part
	for _, size := range append(sizes, len(questions)) {
		size = min(size, len(questions))
		var part []*Question
		for i := range questions[:size] {
			part = append(part, &questions[i])
		}
		questions = questions[size:]
		parts = append(parts, PartOf(part))
	}
	return NewTable(parts)
}

func TestEveryFieldHasAColumn(t *testing.T) {
	questions := make([]Question, 5)
	n := int64(0)
	for i := range questions[:4] {
		everyfield.Set(&questions[i], &n)
	}
	questions[1].Flags, questions[1].Calls, questions[1].FirstByte = nil, nil, nil
	questions[2].Flags, questions[2].Calls = []string{}, []Call{}
	questions[3].Calls[1] = Call{}
	table := stored(questions, 2, 0)
	slices.SortFunc(questions, func(a, b Question) int { return byStart(&a, &b) })
	if diff := cmp.Diff(questions, table.Questions()); diff != "" {
		t.Error(diff)
	}
	cursor := table.NewCursor()
	for _, row := range []int{3, 0, 2, 1, 4, 3} {
		if diff := cmp.Diff(questions[row], *cursor.At(row)); diff != "" {
			t.Errorf("row %d: %s", row, diff)
		}
		if diff := cmp.Diff(questions[row], *table.Question(row)); diff != "" {
			t.Errorf("row %d: %s", row, diff)
		}
	}
}

func TestATableIsByStart(t *testing.T) {
	numbers := rapid.OneOf(rapid.Int64Range(0, 3), rapid.SampledFrom([]int64{-1, math.MaxInt64, math.MinInt64}))
	rapid.Check(t, func(t *rapid.T) {
		questions := make([]Question, rapid.IntRange(0, 12).Draw(t, "questions"))
		for i := range questions {
			q := &questions[i]
			q.Start, q.End = numbers.Draw(t, "start"), numbers.Draw(t, "end")
			q.TraceID[0], q.RootID[7] = rapid.Byte().Draw(t, "trace"), byte(i)
			q.Session = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "session")
			q.Number = rapid.IntRange(0, 2).Draw(t, "number")
			for range rapid.IntRange(0, 2).Draw(t, "calls") {
				q.Calls = append(q.Calls, Call{Start: numbers.Draw(t, "call"), LoadEnd: numbers.Draw(t, "load")})
			}
		}
		table := stored(questions, rapid.IntRange(0, 5).Draw(t, "first part"))
		slices.SortFunc(questions, func(a, b Question) int { return byStart(&a, &b) })
		if diff := cmp.Diff(questions, append([]Question{}, table.Questions()...)); diff != "" {
			t.Fatal(diff)
		}
		asked := map[string]int{}
		for row, q := range questions {
			if q.Timed() {
				asked[q.Session]++
			}
			if want := stdcmp.Or(q.Number, asked[q.Session]); table.Number(row) != want {
				t.Fatalf("row %d has number %d, want %d", row, table.Number(row), want)
			}
		}
	})
}

func TestATableLeavesOut(t *testing.T) {
	questions := make([]Question, 6)
	for i := range questions {
		questions[i].Start = int64(100 - i)
		questions[i].Calls = make([]Call, i)
	}
	part := PartOf([]*Question{&questions[0], &questions[1], &questions[2]})
	part.Left = func(i int) bool { return i == 1 }
	table := NewTable([]Part{part, PartOf([]*Question{&questions[3], &questions[4], &questions[5]})})
	want := []Question{questions[5], questions[4], questions[3], questions[2], questions[0]}
	if diff := cmp.Diff(want, table.Questions()); diff != "" {
		t.Error(diff)
	}
}
