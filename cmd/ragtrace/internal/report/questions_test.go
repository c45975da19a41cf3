package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

const ms = time.Millisecond

func TestQuestionTable(t *testing.T) {
	ttft := 2910 * ms
	r := diagnose.Report{Questions: []diagnose.Result{
		{Session: "会話", Number: 1, TraceID: model.TraceID{1}, Timed: true, E2E: 3390 * ms, TTFT: &ttft, Inside: 2320 * ms,
			Outside: 1070 * ms, Unattributed: 460 * time.Microsecond, Status: diagnose.StatusOK, Slow: true,
			Cold: []diagnose.Cold{{Cause: "llm_load"}, {Cause: "a_new_one"}}},
		{Session: "会話", Number: 2, TraceID: model.TraceID{2}, Timed: true, E2E: 12_340 * ms, Outside: 12_340 * ms,
			Status: diagnose.StatusCancelled},
		{Number: 10, TraceID: model.TraceID{3}, Status: diagnose.StatusIncomplete},
	}}
	r.Verdict.Slow = []diagnose.Slow{{TraceID: model.TraceID{1}, Number: 1, Over: 2450 * ms}}
	want := "" +
		"session  no      E2E     TTFT   in LLM  outside  no stage  notes\n" +
		"会話      1  3390 ms  2910 ms  2320 ms  1070 ms   0.46 ms  2450 ms over; cold:\n" +
		"                                                           model load, a new one\n" +
		"会話      2   12.3 s        -     0 ms   12.3 s      0 ms  cancelled\n" +
		"-        10        ?        ?        ?        ?         ?  incomplete\n"
	table, left := questionTable(r)
	if diff := cmp.Diff(want, table.draw(plain)); diff != "" || left != 0 {
		t.Errorf("%d left out; %s", left, diff)
	}
}

func TestTooManyQuestionsLeaveTheSlowOnesAndTheLast(t *testing.T) {
	var r diagnose.Report
	for n := 1; n <= 1000; n++ {
		r.Questions = append(r.Questions, diagnose.Result{Session: "a", Number: n, Slow: n == 7})
	}
	table, left := questionTable(r)
	if len(table.Rows) != maxQuestions || left != 1000-maxQuestions {
		t.Fatalf("%d rows, %d left out", len(table.Rows), left)
	}
	if first, second, last := table.Rows[0][1].Text, table.Rows[1][1].Text, table.Rows[maxQuestions-1][1].Text; first != "7" ||
		second != "942" || last != "1000" {
		t.Errorf("rows %s, %s ... %s; want 7, 942 ... 1000", first, second, last)
	}
}

// TestAnswer compares question 1 of four with the median of the others: they decode for 100, 200 and 400 ms, so 200 ms.
func TestAnswer(t *testing.T) {
	var questions []diagnose.Question
	for i, decode := range []time.Duration{1000, 100, 200, 400, 5000} {
		q := diagnose.Question{TraceID: model.TraceID{byte(i + 1)}, Number: i + 1, Session: "a", Service: "app", Status: diagnose.StatusOK,
			Start: 1, End: 1 + int64(decode*ms)}
		q.Components[diagnose.LLMDecode] = decode * ms
		questions = append(questions, q)
	}
	questions[0].Components[diagnose.LLMDecode] = 700 * ms
	questions[0].Components[diagnose.Gap] = 300 * ms
	questions[4].Service = "another" // and so no peer
	r := diagnose.Report{Verdict: diagnose.Verdict{
		Text: "Question 1 took its time.",
		Slow: []diagnose.Slow{{Session: "a", Number: 1, TraceID: model.TraceID{1}, E2E: 1000 * ms, Baseline: 200 * ms, Over: 800 * ms}},
		Advice: []diagnose.Hint{{Cause: "llm_decode_long",
			Text: "Bound the answers by num_predict, since this one has three times the tokens of the others."}},
	}}
	want := `Question 1 took its time.

session  no  E2E  TTFT  in LLM  outside  no stage  notes

Question 1 of session a
stage               here  others' p50  difference  where
llm.decode        700 ms       200 ms     +500 ms  inside the LLM
no stage, later   300 ms         none     +300 ms  outside
E2E              1000 ms       200 ms     +800 ms

What to do
- Bound the answers by num_predict, since this one has three times the tokens of
  the others.
`
	var b strings.Builder
	if err := Answer(Screen{Writer: &b, Unicode: true}, questions, r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestAnswerPassesAWriteErrorOn(t *testing.T) {
	if err := Answer(Screen{Writer: fullDisk{}}, nil, diagnose.Report{}); err == nil {
		t.Error("no error")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, fmt.Errorf("no space") }

// TestLongNumbersFit has a number and a session as long as spans may name them, beside cold costs.
func TestLongNumbersFit(t *testing.T) {
	ttft := 3388 * ms
	r := diagnose.Report{Questions: []diagnose.Result{{
		Session: strings.Repeat("s", 40), Number: 1<<62 - 1, Timed: true, E2E: 3390 * ms, TTFT: &ttft, Inside: 2320 * ms,
		Outside: 1070 * ms, Unattributed: 1234 * ms, Status: diagnose.StatusOK, Cold: []diagnose.Cold{{Cause: "llm_load"}},
	}}}
	var b strings.Builder
	if err := Answer(Screen{Writer: &b, Unicode: true}, nil, r); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); w > 80 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
}
