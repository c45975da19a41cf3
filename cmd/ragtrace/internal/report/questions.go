package report

import (
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// maxQuestions is how many questions the table of a report shows. Nobody reads more; JSON has them all.
const maxQuestions = 60

// questionTable lists questions, which are in the order of session and number, and counts those that it leaves out. Of
// too many it keeps those that took far longer than their peers, then the last ones.
func questionTable(r diagnose.Report) (t table, left int) {
	number := numberWidth(r.Questions)
	t.Columns = []column{
		{Head: "session", Max: names - number}, {Head: "no", Right: true, Max: number}, {Head: "E2E", Right: true}, {Head: "TTFT", Right: true},
		{Head: "in LLM", Right: true}, {Head: "outside", Right: true}, {Head: "no stage", Right: true}, {Head: "notes"},
	}
	type key struct {
		trace  model.TraceID
		number int
	}
	over := make(map[key]time.Duration)
	for _, slow := range r.Verdict.Slow {
		over[key{slow.TraceID, slow.Number}] = slow.Over
	}
	shown := pick(r.Questions)
	for i, q := range r.Questions {
		if shown[i] {
			t.Rows = append(t.Rows, questionRow(q, over[key{q.TraceID, q.Number}]))
		}
	}
	return t, len(r.Questions) - len(t.Rows)
}

// names is how many columns session and number have together: with more, a line of 80 would have no room for notes.
const names = 14

// numberWidth is the width of the longest number, within reason.
func numberWidth(questions []diagnose.Result) int {
	width := 2
	for i := range questions {
		width = max(width, len(strconv.Itoa(questions[i].Number)))
	}
	return min(width, 7) // the head of the sessions takes 7
}

// pick chooses at most maxQuestions questions by their index.
func pick(questions []diagnose.Result) map[int]bool {
	shown := make(map[int]bool)
	for _, slow := range []bool{true, false} {
		for i := len(questions) - 1; i >= 0 && len(shown) < maxQuestions; i-- {
			if questions[i].Slow == slow {
				shown[i] = true
			}
		}
	}
	return shown
}

func questionRow(q diagnose.Result, over time.Duration) []cell {
	row := []cell{{Text: sessionName(q.Session)}, {Text: strconv.Itoa(q.Number)}}
	figures := []cell{{Text: "?"}, {Text: "?"}, {Text: "?"}, {Text: "?"}, {Text: "?"}}
	if q.Timed {
		figures = []cell{
			{Text: Duration(q.E2E)}, {Text: "-"}, {Duration(q.Inside), Magenta}, {Duration(q.Outside), Cyan}, {Text: Duration(q.Unattributed)},
		}
		if q.Slow {
			figures[0].Ink = Red
		}
		if q.TTFT != nil {
			figures[1].Text = Duration(*q.TTFT)
		}
	}
	return append(append(row, figures...), cell{Text: notes(q, over)})
}

// notes are what the figures do not tell: the excess, the outcome, what was cold.
func notes(q diagnose.Result, over time.Duration) string {
	var parts []string
	if q.Slow {
		parts = append(parts, Duration(over)+" over")
	}
	if q.Status != diagnose.StatusOK {
		status := string(q.Status)
		if !q.Timed && len(q.Flags) > 0 {
			status += ": " + strings.ReplaceAll(strings.Join(q.Flags, ", "), "_", " ")
		}
		parts = append(parts, status)
	}
	if len(q.Cold) > 0 {
		names := make([]string, len(q.Cold))
		for i, c := range q.Cold {
			names[i] = Cold(c.Cause)
		}
		parts = append(parts, "cold: "+strings.Join(names, ", "))
	}
	return strings.Join(parts, "; ")
}

// sessionName shows the absence of a session.
func sessionName(session string) string {
	if session == "" {
		return "-"
	}
	return session
}
