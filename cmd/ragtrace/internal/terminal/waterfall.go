package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// A Question is what the waterfall shows.
type Question struct {
	Spans  []model.Span // of its trace
	Result diagnose.Result
	Slow   *diagnose.Slow // nil unless it took far longer than its peers
	Source string         // who sent it: the service and its pipeline
}

// Write draws the question on s.
func (q Question) Write(s report.Screen) error {
	var b strings.Builder
	q.head(&b, s)
	flags := slices.Clone(q.Result.Flags)
	if l, ok := diagnose.Lay(q.Spans, q.Result); ok { // else its root never came: there are no times, and no bars
		token := q.Result.TTFT
		if q.Result.TTFTRuler == diagnose.RulerByte {
			token = nil
		}
		rows := rowsOf(l, token)
		b.WriteString("\n")
		first := markOf(q.Result)
		b.WriteString(chart(s, rows, l.Rows[0].End, first))
		legend(&b, s, first)
		q.sum(&b, s, l.Lost())
		failures(&b, s, l)
		flags = append(flags, l.Flags...)
	}
	slices.Sort(flags)
	for _, f := range slices.Compact(flags) {
		line(&b, s, "Note: "+report.Clean(report.Flag(f))+".")
	}
	_, err := io.WriteString(s, b.String())
	return err
}

// head says which question this is and how long it took.
func (q Question) head(b *strings.Builder, s report.Screen) {
	r := q.Result
	b.WriteString(s.Paint(report.Bold, report.Name(r.Session, r.Number)) + "\n")
	if !r.Timed {
		line(b, s, fmt.Sprintf("%s, trace %s", r.Status, r.TraceID))
		return
	}
	e2e := "E2E " + report.Duration(r.E2E)
	if q.Slow != nil {
		e2e += ", " + report.Duration(q.Slow.Over) + " more than the median of the others"
	}
	line(b, s, e2e+", "+string(r.Status))
	var first []string
	if r.TTFT != nil {
		first = append(first, "TTFT "+report.Duration(*r.TTFT)+rulers[r.TTFTRuler])
	}
	if r.FirstByte != nil && (r.TTFT == nil || *r.FirstByte != *r.TTFT) {
		first = append(first, "first byte "+report.Duration(*r.FirstByte))
	}
	if len(first) > 0 {
		line(b, s, strings.Join(first, ", "))
	}
	line(b, s, fmt.Sprintf("%s, %s", r.Start.UTC().Format("2006-01-02 15:04:05 UTC"), report.Clean(q.Source)))
	line(b, s, fmt.Sprintf("trace %s", r.TraceID))
}

// rulers say where a TTFT was read. Enter is where all of them begin.
var rulers = map[diagnose.Ruler]string{
	diagnose.RulerUser:   " (first token at the user)",
	diagnose.RulerByte:   " (first byte to the user; no span tells when the first token came)",
	diagnose.RulerClient: " (first chunk at the application)",
	diagnose.RulerServer: " (first token at the LLM server)",
}

// markOf is what is marked on the axis: the first token, or the first byte where that is all that is known.
func markOf(r diagnose.Result) mark {
	switch {
	case r.TTFT == nil:
		return mark{}
	case r.TTFTRuler == diagnose.RulerByte:
		return mark{*r.TTFT, "1st byte", "first byte"}
	}
	return mark{*r.TTFT, "TTFT", "first token"}
}

func legend(b *strings.Builder, s report.Screen, first mark) {
	for _, k := range []struct {
		kind diagnose.RowKind
		text string
	}{{diagnose.RowInside, "inside the LLM"}, {diagnose.RowOutside, "outside"}, {diagnose.RowGap, "gap"}, {diagnose.RowFrame, "frame of others"}} {
		if k.kind != diagnose.RowInside {
			b.WriteString("   ")
		}
		b.WriteString(s.Paint(brushes[k.kind].ink, stroke(k.kind, s)) + " " + k.text)
	}
	if first.at > 0 {
		b.WriteString("   " + firstToken(s) + " " + first.means)
	}
	b.WriteString("\n")
}

// sum adds the question up; lost is what the time of failed calls went into.
func (q Question) sum(b *strings.Builder, s report.Screen, lost string) {
	r := q.Result
	within := ""
	if r.Unattributed > 0 {
		within = " (" + report.Duration(r.Unattributed) + " in no stage)"
	}
	line(b, s, fmt.Sprintf("%s inside the LLM + %s outside%s = %s E2E", report.Duration(r.Inside), report.Duration(r.Outside), within,
		report.Duration(r.E2E)))
	for _, c := range r.Stages {
		if c.Component == diagnose.Retry && lost != "" {
			line(b, s, report.Duration(c.Time)+" went into "+lost)
		}
	}
	var cold []string
	for _, c := range r.Cold {
		where := "outside"
		if c.Component.InsideLLM() {
			where = "inside the LLM"
		}
		cold = append(cold, fmt.Sprintf("%s %s (%s)", report.Cold(c.Cause), report.Duration(c.Time), where))
	}
	if len(cold) > 0 {
		line(b, s, "Cold: "+strings.Join(cold, ", "))
	}
}

// failures says of each failed span what its sender said.
func failures(b *strings.Builder, s report.Screen, l diagnose.Layout) {
	for _, r := range l.Rows {
		if !r.Failed {
			continue
		}
		text := "Failed: " + r.Name
		for _, why := range []string{r.Span.Attrs.String("error.type"), r.Span.StatusMessage} {
			if why != "" {
				text += ": " + why
			}
		}
		line(b, s, s.Fit(report.Clean(text), 3*s.Columns()))
	}
}

func line(b *strings.Builder, s report.Screen, text string) {
	for _, l := range report.Wrap(text, s.Columns()) {
		b.WriteString(l + "\n")
	}
}
