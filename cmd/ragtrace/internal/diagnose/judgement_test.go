package diagnose

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Questions that are read from columns are judged as those that are there, and a digest tells what a report tells.
func TestColumnsAreJudgedAsQuestionsAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s scene
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for _, p := range plans(t) {
				p.session = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "session")
				p.pipeline = rapid.SampledFrom([]string{"", "other"}).Draw(t, "pipeline")
				s.ask(p)
			}
		}
		questions := Cut(s.spans)
		want := Judge(questions)
		j := stored(questions, rapid.IntRange(0, 5).Draw(t, "first part")).Judge(nil, nil)
		d := j.Digest(1000, 1000, 1000)
		if diff := cmp.Diff(want, j.Report()); diff != "" {
			t.Fatalf("report (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, Report{d.Questions, d.Verdict}); diff != "" {
			t.Fatalf("digest (-want +got):\n%s", diff)
		}
		if d.Asked != len(questions) || j.Len() != len(questions) || len(d.Usual) != len(d.Verdict.Slow) {
			t.Fatalf("%d asked, %d judged, %d compared of %d slow", d.Asked, j.Len(), len(d.Usual), len(d.Verdict.Slow))
		}
	})
}

// TestDigest has five questions of one pipeline, of which the last takes ten seconds more, and one of another. The peers of
// the last one search for 10, 20, 30 and 40 ms: 25 ms by the median. Only one of them has a gap, and it reranks for no time.
func TestDigest(t *testing.T) {
	question := func(n int, decode, search time.Duration) Question {
		q := Question{Session: "a", Number: n, Pipeline: "p", Status: StatusOK, Start: int64(n) * int64(time.Minute), Flags: []string{FlagBadValue}}
		q.Components[LLMDecode], q.Components[Search] = decode, search
		q.End = q.Start + int64(decode+search)
		return q
	}
	questions := []Question{
		question(1, time.Second, 10*ms), question(2, time.Second, 20*ms), question(3, time.Second, 30*ms), question(4, time.Second, 40*ms),
		question(5, 11*time.Second, 35*ms), question(6, time.Second, 90*ms),
	}
	questions[1].Stages = 1 << Rerank
	questions[2].Components[Gap] = 5 * ms
	questions[2].End += int64(5 * ms)
	questions[5].Pipeline, questions[5].Flags = "another", nil
	d := TableOf(questions).Judge(nil, nil).Digest(2, 3, 1)
	if len(d.Questions) != 2 || d.Questions[0].Number != 5 || !d.Questions[0].Slow || d.Questions[1].Number != 6 || d.Asked != 6 {
		t.Errorf("questions %+v of %d, want the slow one and the last one of 6", d.Questions, d.Asked)
	}
	if want := []Raised{{FlagBadValue, 5, []Name{{"a", 1}, {"a", 2}, {"a", 3}}}}; !cmp.Equal(want, d.Flags) {
		t.Errorf("flags %+v, want %+v", d.Flags, want)
	}
	var want Usual
	want.Here[LLMDecode], want.Here[Search] = 11*time.Second, 35*ms
	want.Medians[LLMDecode], want.Medians[Search] = time.Second, 25*ms
	want.Occurs[LLMDecode], want.Occurs[Search], want.Occurs[Gap], want.Occurs[Rerank] = true, true, true, true
	if diff := cmp.Diff([]Usual{want}, d.Usual); diff != "" {
		t.Errorf("usual (-want +got):\n%s", diff)
	}
}

// A verdict is of those that are among the ones looked at, and tells of those that are chosen.
func TestAmongAndChosen(t *testing.T) {
	var questions []Question
	for n := range 12 {
		q := Question{Session: string(rune('a' + n%2)), Service: string(rune('x' + n/6)), Status: StatusOK, Start: int64(n+1) * int64(time.Minute)}
		q.End = q.Start + int64(time.Second)
		if n == 3 || n == 4 { // the second of session b, and the third of a
			q.End += int64(9 * time.Second)
		}
		questions = append(questions, q)
	}
	table := TableOf(questions)
	j := table.Judge(table.ServiceIs("x"), table.SessionIs("b"))
	if rows, chosen := j.Rows(), j.Chosen(); len(rows) != 6 || !cmp.Equal(chosen, []int{1, 3, 5}) || j.Len() != 3 {
		t.Errorf("rows %v, of which %v are chosen (%d)", rows, chosen, j.Len())
	}
	slow := j.Verdict().Slow
	if len(slow) != 1 || slow[0].Session != "b" || slow[0].Number != 2 || slow[0].Baseline != time.Second {
		t.Errorf("slow %+v", slow)
	}
	if got := table.Judge(table.ServiceIs("nobody"), nil); got.Len() != 0 || got.Verdict().Side != SideUndecided {
		t.Errorf("of a service that does not occur: %+v", got.Verdict())
	}
}
