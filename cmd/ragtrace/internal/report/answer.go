package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

const (
	// maxQuestions is how many questions the table of a report shows. Nobody reads more; JSON has them all.
	maxQuestions = 60
	// maxBreakdowns is for how many of the worst questions the stages are listed.
	maxBreakdowns = 3
	// maxDoubted is how many questions a doubt names.
	maxDoubted = 6
)

// Answer writes which questions took far longer than their peers: first in a sentence, then by question number, then stage
// by stage, and what to do about it.
func Answer(s Screen, j *diagnose.Judgement) error {
	return digest(s, j.Digest(maxQuestions, maxDoubted, maxBreakdowns))
}

func digest(s Screen, d diagnose.Digest) error {
	var b strings.Builder
	paragraph(&b, s, "", d.Verdict.Text)
	b.WriteString("\n")
	b.WriteString(questionTable(d).draw(s))
	if left := d.Asked - len(d.Questions); left > 0 {
		fmt.Fprintf(&b, "%d more questions are not shown; --json has them all.\n", left)
	}
	doubts(&b, s, d)
	for i, usual := range d.Usual {
		breakdown(&b, s, d.Verdict.Slow[i], usual)
	}
	if len(d.Verdict.Advice) > 0 {
		b.WriteString("\n" + s.Paint(Bold, "What to do") + "\n")
	}
	for _, h := range d.Verdict.Advice {
		paragraph(&b, s, "- ", h.Text)
	}
	_, err := s.Write([]byte(b.String()))
	return err
}

// paragraph writes text behind a mark, its further lines below its first.
func paragraph(b *strings.Builder, s Screen, mark, text string) {
	for i, l := range Wrap(Clean(text), s.Columns()-len(mark)) {
		if i > 0 {
			mark = strings.Repeat(" ", len(mark))
		}
		b.WriteString(mark + l + "\n")
	}
}

// A share is one component of a question beside what is usual.
type share struct {
	component   diagnose.Component
	here, usual time.Duration
	alone       bool // none of the others has it
}

func (s share) over() time.Duration { return s.here - s.usual }

// breakdown compares a question with its peers, component by component, the largest excess first. What took less than a
// millisecond on both sides is left out.
func breakdown(b *strings.Builder, s Screen, slow diagnose.Slow, u diagnose.Usual) {
	var shares []share
	for c, usual := range u.Medians {
		if here := u.Here[c]; max(here, usual) >= time.Millisecond {
			shares = append(shares, share{diagnose.Component(c), here, usual, !u.Occurs[c]})
		}
	}
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(b.over(), a.over()) })

	t := table{Columns: []column{
		{Head: "stage"}, {Head: "here", Right: true}, {Head: "others' p50", Right: true}, {Head: "difference", Right: true}, {Head: "where"},
	}}
	for _, x := range shares {
		where := cell{"outside", Cyan}
		if x.component.InsideLLM() {
			where = cell{"inside the LLM", Magenta}
		}
		others := Duration(x.usual)
		if x.alone {
			others = "none"
		}
		t.Rows = append(t.Rows, []cell{
			{Text: stageName(x.component)}, {Text: Duration(x.here)}, {Text: others}, {Text: Signed(x.over())}, where,
		})
	}
	t.Rows = append(t.Rows, []cell{
		{"E2E", Bold}, {Duration(slow.E2E), Bold}, {Duration(slow.Baseline), Bold}, {Signed(slow.Over), Bold}, {},
	})
	b.WriteString("\n" + s.Paint(Bold, Name(slow.Session, slow.Number)) + "\n")
	b.WriteString(t.draw(s))
}

// Name says which question it is: "Question 1 of session a".
func Name(session string, number int) string {
	if session == "" {
		return fmt.Sprintf("Question %d", number)
	}
	return fmt.Sprintf("Question %d of session %s", number, Clean(session))
}

// stageName is a component in a table, where "gap" alone would say little.
func stageName(c diagnose.Component) string {
	switch c {
	case diagnose.GapStart:
		return "no stage, at first"
	case diagnose.Gap:
		return "no stage, later"
	case diagnose.LLMOther:
		return "llm, other"
	case diagnose.Transport:
		return "llm, network"
	case diagnose.Retry:
		return "llm, failed"
	}
	return c.String()
}
