package report

import "strings"

// A Head is the head of one column of a Grid.
type Head struct {
	Text  string
	Right bool // numbers stand flush right
	Max   int  // columns on the screen at most, longer text is cut; 0 means no limit
}

// Grid draws rows of text under heads, aligned; the last column takes the rest of the screen and wraps. Texts may be
// foreign ones.
func Grid(s Screen, heads []Head, rows [][]string) string {
	t := table{Columns: make([]column, len(heads))}
	for i, h := range heads {
		t.Columns[i] = column{Head: h.Text, Right: h.Right, Max: h.Max}
	}
	for _, row := range rows {
		cells := make([]cell, len(row))
		for i, text := range row {
			cells[i].Text = text
		}
		t.Rows = append(t.Rows, cells)
	}
	return t.draw(s)
}

// Paragraph wraps text behind a mark, its further lines below its first.
func Paragraph(s Screen, mark, text string) string {
	var b strings.Builder
	paragraph(&b, s, mark, text)
	return b.String()
}
