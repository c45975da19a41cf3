package diagnose

import (
	"slices"
	"testing"
)

// TestNumbersOutliveFilters has questions of two sessions and of none, one of them with a number of its own, of which only
// some are judged.
func TestNumbersOutliveFilters(t *testing.T) {
	var s scene
	for i, p := range []plan{{}, {session: "a"}, {}, {session: "a"}, {number: 9}, {}} {
		w := warm()
		w.session, w.number = p.session, p.number
		if i%2 == 1 {
			w.pipeline = "another"
		}
		s.ask(w)
	}
	questions := Cut(s.spans)
	slices.Reverse(questions)
	want := Judge(slices.Clone(questions)).Questions
	table := TableOf(questions)
	got := table.Judge(func(row int) bool { return table.Question(row).Pipeline == "another" }, nil).Report().Questions
	if len(got) != 3 {
		t.Fatalf("%d questions", len(got))
	}
	for _, r := range got {
		if i := slices.IndexFunc(want, func(w Result) bool { return w.TraceID == r.TraceID }); want[i].Number != r.Number {
			t.Errorf("question %d of %q is number %d among all", r.Number, r.Session, want[i].Number)
		}
	}
	if last := got[slices.IndexFunc(got, func(r Result) bool { return r.Session == "" })]; last.Number != 4 {
		t.Errorf("the last one without a session is number %d, want 4", last.Number)
	}
}
