package report

import (
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// questionTable lists questions.
func questionTable(d diagnose.Digest) table {
	number := numberWidth(d.Questions)
	t := table{Columns: []column{
		{Head: "session", Max: names - number}, {Head: "no", Right: true, Max: number}, {Head: "E2E", Right: true}, {Head: "TTFT", Right: true},
		{Head: "in LLM", Right: true}, {Head: "outside", Right: true}, {Head: "no stage", Right: true}, {Head: "notes"},
	}}
	type key struct {
		trace  model.TraceID
		number int
	}
	over := make(map[key]time.Duration)
	for _, slow := range d.Verdict.Slow {
		over[key{slow.TraceID, slow.Number}] = slow.Over
	}
	for _, q := range d.Questions {
		t.Rows = append(t.Rows, questionRow(q, over[key{q.TraceID, q.Number}]))
	}
	return t
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
