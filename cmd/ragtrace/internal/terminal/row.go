package terminal

import (
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// A row is one line of the waterfall.
type row struct {
	depth      int
	label      string        // cut when it is too long
	note       string        // never cut: cold, failed
	start, end time.Duration // from Enter
	kind       diagnose.RowKind
	first      time.Duration // the first token, from Enter; 0 when it is not on this row
}

// brushes are the bars' characters and inks: each kind is told apart by either of them alone.
var brushes = map[diagnose.RowKind]struct {
	block, ascii string
	ink          report.Ink
}{
	diagnose.RowFrame:   {"─", "-", report.Dim},
	diagnose.RowInside:  {"█", "#", report.Magenta},
	diagnose.RowOutside: {"▒", "=", report.Cyan},
	diagnose.RowGap:     {"·", ".", report.Yellow},
}

// stroke is the character that k is drawn with on s.
func stroke(k diagnose.RowKind, s report.Screen) string {
	if s.Unicode {
		return brushes[k].block
	}
	return brushes[k].ascii
}

// head is what stands before the bar: the indented label and the note, width columns wide.
func (r row) head(s report.Screen, width int) string {
	note := r.note
	if note != "" {
		note = "  " + note
	}
	indent := strings.Repeat("  ", r.depth)
	room := width - len(indent) - runewidth.StringWidth(note)
	label := indent + s.Fit(r.label, max(room, 3))
	fill := strings.Repeat(" ", max(0, width-runewidth.StringWidth(label+note)))
	return label + s.Paint(report.Red, note) + fill
}

// headWidth is the width that r's head would like to have.
func (r row) headWidth() int {
	w := 2*r.depth + runewidth.StringWidth(r.label)
	if r.note != "" {
		w += 2 + runewidth.StringWidth(r.note)
	}
	return w
}

// bar draws r on a.
func (r row) bar(s report.Screen, a axis) string {
	from, to := a.bar(r.start, r.end)
	stroke, ink := stroke(r.kind, s), brushes[r.kind].ink
	bar := s.Paint(ink, strings.Repeat(stroke, to-from))
	if c := a.column(r.first); r.first > 0 && from <= c && c < to {
		bar = s.Paint(ink, strings.Repeat(stroke, c-from)) +
			s.Paint(report.Bold, firstToken(s)) +
			s.Paint(ink, strings.Repeat(stroke, to-c-1))
	}
	return strings.Repeat(" ", from) + bar + strings.Repeat(" ", a.width-to)
}

// chart draws rows below their axis.
func chart(s report.Screen, rows []row, total time.Duration, first mark) string {
	const figures = 8 // "12000 ms"
	head := 0
	for _, r := range rows {
		head = max(head, r.headWidth())
	}
	head = min(head, s.Columns()*2/5)
	a := axis{total: total, width: s.Columns() - head - figures - 2}

	var b strings.Builder
	labels, rule := a.lines(s, first)
	margin := strings.Repeat(" ", head+1)
	b.WriteString(margin + labels + "\n" + margin + s.Paint(report.Dim, rule) + "\n")
	for _, r := range rows {
		figure := report.Duration(r.end - r.start)
		b.WriteString(r.head(s, head) + " " + r.bar(s, a) + " " + strings.Repeat(" ", max(0, figures-len(figure))) + figure + "\n")
	}
	return b.String()
}
