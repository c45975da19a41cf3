package stats

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A summary of a judgement is that of its report, whatever is asked for.
func TestAJudgementIsSummarisedAsItsReportIs(t *testing.T) {
	name := rapid.SampledFrom([]string{"", "a", "b"})
	length := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond
	})
	rapid.Check(t, func(t *rapid.T) {
		var questions []diagnose.Question
		for i := range rapid.IntRange(0, 12).Draw(t, "questions") {
			q := diagnose.Question{Session: name.Draw(t, "session"), Service: name.Draw(t, "service"), Start: int64(i%5) * int64(time.Second)}
			q.Status = rapid.SampledFrom([]diagnose.Status{diagnose.StatusOK, diagnose.StatusOK, diagnose.StatusError}).Draw(t, "status")
			q.Components[diagnose.LLMLoad], q.Components[diagnose.Search] = length.Draw(t, "load"), length.Draw(t, "search")
			q.End = q.Start + int64(q.Components.Total())
			for range rapid.IntRange(0, 2).Draw(t, "calls") {
				ttft := length.Draw(t, "ttft")
				c := diagnose.Call{Model: name.Draw(t, "model"), Failed: rapid.Bool().Draw(t, "failed"), Start: q.Start, End: q.End, Input: 7, Output: -1}
				c.TTFT = &ttft
				q.Calls = append(q.Calls, c)
			}
			questions = append(questions, q)
		}
		f := Filter{Session: name.Draw(t, "of session"), Service: name.Draw(t, "of service"), Model: name.Draw(t, "of model"), Number: rapid.IntRange(0, 2).Draw(t, "number")}
		table := diagnose.TableOf(questions)
		j := table.Judge(nil, nil)
		want, got := Summarise(j.Report().Questions, f), SummariseJudged(table, j, f)
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *Metric) bool { return a == b })); diff != "" {
			t.Fatal(diff)
		}
		for row := range table.Len() {
			all := j.Report().Questions
			r := all[slices.IndexFunc(all, func(q diagnose.Result) bool { return q.Question == table.Question(row) })]
			if choose := f.Rows(table); f.Question(&r) != (choose == nil || choose(row)) {
				t.Fatalf("row %d: chosen as a result %v", row, f.Question(&r))
			}
		}
	})
}
