package terminal

import (
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// An axis maps the time of a question to columns.
type axis struct {
	total time.Duration
	width int
}

// column is the column that t falls into.
func (a axis) column(t time.Duration) int {
	if a.total <= 0 {
		return 0
	}
	c := int((t*time.Duration(a.width) + a.total/2) / a.total)
	return min(max(c, 0), a.width-1)
}

// bar is the half-open range of columns from start to end, at least one wide.
func (a axis) bar(start, end time.Duration) (from, to int) {
	from = a.column(start)
	to = a.width
	if end < a.total {
		to = a.column(end)
	}
	return from, max(to, from+1)
}

// step is the distance of the ticks: 1, 2 or 5 times a power of ten, wide enough for a label.
func (a axis) step() time.Duration {
	const room = 9 // "1000 ms" and two blanks
	for unit := time.Microsecond; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if n*unit*time.Duration(a.width) >= room*a.total {
				return n * unit
			}
		}
	}
}

// tick labels t in the unit that suits the whole axis.
func (a axis) tick(t time.Duration) string {
	switch {
	case t == 0:
		return "0"
	case a.total < 10*time.Second:
		return strconv.FormatFloat(float64(t)/float64(time.Millisecond), 'f', -1, 64) + " ms"
	}
	return strconv.FormatFloat(t.Seconds(), 'f', -1, 64) + " s"
}

// lines are the labels and the rule below them, with the mark on the rule when there is one.
func (a axis) lines(s report.Screen, first mark) (labels, rule string) {
	line, tick := "-", "+"
	if s.Unicode {
		line, tick = "─", "┬"
	}
	above := []byte(strings.Repeat(" ", a.width))
	cells := strings.Split(strings.Repeat(line, a.width), "")
	for t, step := time.Duration(0), a.step(); t <= a.total; t += step {
		c, label := a.column(t), a.tick(t)
		cells[c] = tick
		if at := min(c, a.width-len(label)); strings.TrimSpace(string(above[max(0, at-1):])) == "" {
			copy(above[at:], label)
		}
		if a.total <= 0 {
			break
		}
	}
	if first.at > 0 {
		a.mark(s, cells, first)
	}
	return strings.TrimRight(string(above), " "), strings.Join(cells, "")
}

// A mark is a moment to point at on the rule. The zero value is none.
type mark struct {
	at    time.Duration // from Enter
	label string        // on the rule
	means string        // in the legend
}

// mark names a moment at its place on the rule: to the right of the mark, or to the left near the end.
func (a axis) mark(s report.Screen, cells []string, m mark) {
	c := a.column(m.at)
	at, text := c+1, " "+m.label
	if at+len(text) > len(cells) {
		at, text = max(0, c-len(text)), m.label+" "
	}
	copy(cells[at:], strings.Split(text, ""))
	cells[c] = firstToken(s)
}

// firstToken is the mark of the first token.
func firstToken(s report.Screen) string {
	if s.Unicode {
		return "▼"
	}
	return "v"
}
