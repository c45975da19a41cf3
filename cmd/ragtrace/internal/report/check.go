package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/gate"
)

// maxOffenders is how many questions are listed below an expression.
const maxOffenders = 10

// Check writes a line for each expression, and below one that does not hold the questions that broke it.
func Check(s Screen, outcomes []gate.Outcome) error {
	width := 0
	for _, o := range outcomes {
		width = max(width, runewidth.StringWidth(Clean(o.Expr.Text)))
	}
	width = min(width, 44)
	var b strings.Builder
	for _, o := range outcomes {
		mark := s.Paint(Green, "pass")
		if !o.Pass {
			mark = s.Paint(Red, "FAIL")
		}
		lines := Wrap(Outcome(o), s.Columns()-width-8)
		fmt.Fprintf(&b, "%s  %s  %s\n", mark, pad(Clean(o.Expr.Text), width, false), lines[0])
		for _, line := range append(lines[1:], Offenders(o)...) {
			b.WriteString(strings.Repeat(" ", width+8) + s.Fit(line, s.Columns()-width-8) + "\n")
		}
	}
	_, err := s.Write([]byte(b.String()))
	return err
}

// Outcome says what an expression came to.
func Outcome(o gate.Outcome) string {
	if o.Value == nil {
		return o.Note
	}
	text := GateValue(o.Expr.Unit(), *o.Value)
	if o.N > 0 {
		kind := "value"
		if o.Expr.CountsQuestions() {
			kind = "question"
		}
		text += " of " + plural(o.N, kind, kind+"s")
	}
	if o.Note != "" {
		text += " (" + o.Note + ")"
	}
	return text
}

// Offenders are lines that name the questions which broke an expression.
func Offenders(o gate.Outcome) []string {
	var lines []string
	for _, x := range o.Offenders[:min(len(o.Offenders), maxOffenders)] {
		line := handle(x)
		switch {
		case x.Time > 0:
			line += "  " + Duration(time.Duration(x.Time))
		case o.Expr.CountsQuestions():
			line += "  " + string(x.Status)
		default:
			line += "  " + GateValue(o.Expr.Unit(), x.Value)
		}
		lines = append(lines, line)
	}
	if rest := len(o.Offenders) - len(lines); rest > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", rest))
	}
	return lines
}

// handle names a question as ragtrace show takes it.
func handle(o gate.Offender) string {
	if o.Session == "" {
		return o.TraceID.String()[:12]
	}
	return Clean(o.Session) + "/" + strconv.Itoa(o.Number)
}

// GateValue writes a value of an expression in its unit.
func GateValue(u gate.Unit, v float64) string {
	switch u {
	case gate.Duration:
		return Duration(time.Duration(v))
	case gate.Percent:
		return digits3(round3(100*v)) + " %"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
