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
	d := diagnose.Digest{Questions: []diagnose.Result{
		{Session: "会話", Number: 1, TraceID: model.TraceID{1}, Timed: true, E2E: 3390 * ms, TTFT: &ttft, Inside: 2320 * ms,
			Outside: 1070 * ms, Unattributed: 460 * time.Microsecond, Status: diagnose.StatusOK, Slow: true,
			Cold: []diagnose.Cold{{Cause: "llm_load"}, {Cause: "a_new_one"}}},
		{Session: "会話", Number: 2, TraceID: model.TraceID{2}, Timed: true, E2E: 12_340 * ms, Outside: 12_340 * ms,
			Status: diagnose.StatusCancelled},
		{Number: 10, TraceID: model.TraceID{3}, Status: diagnose.StatusIncomplete},
	}}
	d.Verdict.Slow = []diagnose.Slow{{TraceID: model.TraceID{1}, Number: 1, Over: 2450 * ms}}
	want := "" +
		"session  no      E2E     TTFT   in LLM  outside  no stage  notes\n" +
		"会話      1  3390 ms  2910 ms  2320 ms  1070 ms   0.46 ms  2450 ms over; cold:\n" +
		"                                                           model load, a new one\n" +
		"会話      2   12.3 s        -     0 ms   12.3 s      0 ms  cancelled\n" +
		"-        10        ?        ?        ?        ?         ?  incomplete\n"
	if diff := cmp.Diff(want, questionTable(d).draw(plain)); diff != "" {
		t.Error(diff)
	}
}

// TestTooManyQuestionsLeaveTheSlowOnesAndTheLast has a thousand questions of which the seventh takes ten times as long.
func TestTooManyQuestionsLeaveTheSlowOnesAndTheLast(t *testing.T) {
	var questions []diagnose.Question
	for n := 1; n <= 1000; n++ {
		q := diagnose.Question{Session: "a", Number: n, Status: diagnose.StatusOK, Start: int64(n), End: int64(n) + int64(time.Second)}
		if n == 7 {
			q.End += int64(9 * time.Second)
		}
		questions = append(questions, q)
	}
	var b strings.Builder
	if err := Answer(Screen{Writer: &b, Unicode: true}, diagnose.TableOf(questions).Judge(nil, nil)); err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(b.String(), "notes\n")
	rows := strings.Split(lines, "\n")
	for i, number := range map[int]string{0: "7", 1: "942", 59: "1000"} {
		if fields := strings.Fields(rows[i]); len(fields) < 2 || fields[1] != number {
			t.Errorf("row %d is %q, want question %s", i, rows[i], number)
		}
	}
	if want := "940 more questions are not shown; --json has them all."; rows[60] != want {
		t.Errorf("after the table comes %q, want %q", rows[60], want)
	}
}

// TestAnswer compares question 1 of four with the median of the others: they decode for 100, 200 and 400 ms, so 200 ms.
func TestAnswer(t *testing.T) {
	d := diagnose.Digest{Verdict: diagnose.Verdict{
		Text: "Question 1 took its time.",
		Slow: []diagnose.Slow{{Session: "a", Number: 1, TraceID: model.TraceID{1}, E2E: 1000 * ms, Baseline: 200 * ms, Over: 800 * ms}},
		Advice: []diagnose.Hint{{Cause: "llm_decode_long",
			Text: "Bound the answers by num_predict, since this one has three times the tokens of the others."}},
	}, Usual: make([]diagnose.Usual, 1)}
	u := &d.Usual[0]
	u.Here[diagnose.LLMDecode], u.Here[diagnose.Gap], u.Here[diagnose.Embed] = 700*ms, 300*ms, ms-1
	u.Medians[diagnose.LLMDecode], u.Occurs[diagnose.LLMDecode] = 200*ms, true
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
	if err := digest(Screen{Writer: &b, Unicode: true}, d); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestAnswerPassesAWriteErrorOn(t *testing.T) {
	if err := Answer(Screen{Writer: fullDisk{}}, diagnose.TableOf(nil).Judge(nil, nil)); err == nil {
		t.Error("no error")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, fmt.Errorf("no space") }

// TestLongNumbersFit has a number and a session as long as spans may name them, beside cold costs.
func TestLongNumbersFit(t *testing.T) {
	ttft := 3388 * ms
	d := diagnose.Digest{Questions: []diagnose.Result{{
		Session: strings.Repeat("s", 40), Number: 1<<62 - 1, Timed: true, E2E: 3390 * ms, TTFT: &ttft, Inside: 2320 * ms,
		Outside: 1070 * ms, Unattributed: 1234 * ms, Status: diagnose.StatusOK, Cold: []diagnose.Cold{{Cause: "llm_load"}},
	}}}
	var b strings.Builder
	if err := digest(Screen{Writer: &b, Unicode: true}, d); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); w > 80 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
}
