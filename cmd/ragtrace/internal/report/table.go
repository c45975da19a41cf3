package report

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// A column is one column of a table.
type column struct {
	Head  string
	Right bool // numbers stand flush right
	Max   int  // columns on the screen at most, longer text is cut; 0 means no limit
}

// A cell is a text and its ink.
type cell struct {
	Text string
	Ink  Ink
}

// A table is rows under column heads. The last column takes the rest of the screen and wraps.
type table struct {
	Columns []column
	Rows    [][]cell
}

// gutter is what stands between two columns.
const gutter = "  "

// draw is t as text for s. Cells may hold foreign text.
func (t table) draw(s Screen) string {
	last := len(t.Columns) - 1
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = runewidth.StringWidth(c.Head)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], runewidth.StringWidth(t.text(s, row, i)))
		}
	}
	used := 0
	for _, w := range widths[:last] {
		used += w + len(gutter)
	}
	// A last column that would be left with a sliver keeps a width in which words can be read; the line then overflows.
	widths[last] = min(widths[last], max(16, s.Columns()-used))

	var b strings.Builder
	heads := make([]cell, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = cell{c.Head, Bold}
	}
	for _, row := range append([][]cell{heads}, t.Rows...) {
		t.line(&b, s, row, widths)
	}
	return b.String()
}

// text is what row shows in column i: foreign text made safe and cut.
func (t table) text(s Screen, row []cell, i int) string {
	text := Clean(row[i].Text)
	if limit := t.Columns[i].Max; limit > 0 {
		text = s.Fit(text, limit)
	}
	return text
}

// line draws one row, on as many lines as its last cell needs.
func (t table) line(b *strings.Builder, s Screen, row []cell, widths []int) {
	last := len(widths) - 1
	for n, tail := range Wrap(t.text(s, row, last), widths[last]) {
		var line strings.Builder
		for i, w := range widths[:last] {
			text := ""
			if n == 0 {
				text = t.text(s, row, i)
			}
			// Padding stays outside the ink: some terminals would underline or fill it.
			padded := pad(text, w, t.Columns[i].Right)
			line.WriteString(strings.Replace(padded, text, s.Paint(row[i].Ink, text), 1) + gutter)
		}
		if t.Columns[last].Right {
			line.WriteString(strings.Repeat(" ", widths[last]-runewidth.StringWidth(tail)))
		}
		line.WriteString(s.Paint(row[last].Ink, tail))
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
