package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/gate"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

func TestCheck(t *testing.T) {
	var results []diagnose.Result
	for i := range 25 {
		q := &diagnose.Question{Start: 1, End: 1 + int64(i+1)*int64(100*ms), Status: diagnose.StatusOK, Calls: []diagnose.Call{{Input: -1, Output: -1}}}
		r := diagnose.Result{Session: "会話", Number: i + 1, TraceID: model.TraceID{0xab, byte(i)}, Timed: true, Status: q.Status, Question: q}
		switch i {
		case 0:
			r.Cold = []diagnose.Cold{{Cause: "llm_load", Time: 4100 * ms}}
		case 1:
			r.Session, r.Status = "", diagnose.StatusCancelled
		}
		results = append(results, r)
	}
	var outcomes []gate.Outcome
	for _, text := range []string{
		"max(e2e) <= 2.5s", "p50(e2e) < 1300ms", "p95(e2e, number=3) < 1s", "cold(llm_load) == 0", "failed() == 0", "count() > 30",
		"p95(ttft) < 1s", "share(llm.decode) < 10%", `count(session="会話") == 24`,
	} {
		e, err := gate.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, e.Check(results, stats.Filter{}))
	}
	want := `pass  max(e2e) <= 2.5s             2500 ms of 24 values
FAIL  p50(e2e) < 1300ms            1350 ms of 24 values
                                   会話/25  2500 ms
                                   会話/24  2400 ms
                                   会話/23  2300 ms
                                   会話/22  2200 ms
                                   会話/21  2100 ms
                                   会話/20  2000 ms
                                   会話/19  1900 ms
                                   会話/18  1800 ms
                                   会話/17  1700 ms
                                   会話/16  1600 ms
                                   and 3 more
pass  p95(e2e, number=3) < 1s      300 ms of 1 value (of so few, p95 is hardly
                                   more than the largest)
FAIL  cold(llm_load) == 0          1 of 25 questions
                                   会話/1  4100 ms
FAIL  failed() == 0                1 of 25 questions
                                   ab0100000000  cancelled
FAIL  count() > 30                 24 of 25 questions
FAIL  p95(ttft) < 1s               no values by this ruler
pass  share(llm.decode) < 10%      0 % of 24 values
pass  count(session="会話") == 24  24 of 24 questions
`
	var b strings.Builder
	if err := Check(Screen{Writer: &b, Unicode: true}, outcomes); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(want, "no values by this ruler", "no values"), b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestExplanation(t *testing.T) {
	var b strings.Builder
	s := Screen{Writer: &b, Unicode: true}
	for _, cause := range diagnose.Causes() {
		b.Reset()
		if err := Explanation(s, cause); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !strings.HasPrefix(text, cause+"\n") {
			t.Errorf("%s is explained as %s", cause, text)
		}
		at := 0
		for _, head := range []string{"\nTold by\n  ", "\nVerify\n  ", "\nDo\n  "} {
			i := strings.Index(text, head)
			if i < at {
				t.Errorf("%s: no %q in its place in %s", cause, head, text)
			}
			at = i
		}
		for line := range strings.Lines(text) {
			if len(line) > 81 {
				t.Errorf("%s: a line of %d columns", cause, len(line)-1)
			}
		}
	}
	b.Reset()
	if err := Causes(s); err != nil {
		t.Fatal(err)
	}
	for _, cause := range diagnose.Causes() {
		if !strings.Contains(b.String(), "\n"+cause+" ") {
			t.Errorf("%s is not listed", cause)
		}
	}
}
