package terminal

import (
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// rowsOf turns a layout into lines. first is the first token, to be marked on the call that it came from; nil for none.
func rowsOf(l diagnose.Layout, first *time.Duration) []row {
	rows := make([]row, len(l.Rows))
	for i := range l.Rows {
		rows[i] = rowOf(&l.Rows[i])
	}
	if first != nil {
		markFirst(l.Rows, rows, *first)
	}
	var shown []row
	for i := range rows {
		if !negligible(l.Rows, i) {
			shown = append(shown, rows[i])
		}
	}
	return shown
}

// shortest is the shortest time that has a row: what is shorter would read as 0 ms.
const shortest = 5 * time.Microsecond

// negligible is a row of no time that holds no other and tells nothing else.
func negligible(rows []diagnose.Row, i int) bool {
	r := &rows[i]
	holds := i+1 < len(rows) && rows[i+1].Parent == i
	return i > 0 && r.End-r.Start < shortest && !holds && !r.Failed
}

func rowOf(r *diagnose.Row) row {
	line := row{depth: r.Depth, label: label(r), start: r.Start, end: r.End, kind: r.Kind}
	switch {
	case r.Failed && r.Depth > 0:
		line.note = "failed"
		if t := report.Clean(r.Span.Attrs.String("error.type")); t != "" && len(t) <= 12 {
			line.note += " " + t
		}
	case r.Cold:
		line.note = "cold"
	}
	return line
}

// label is the row's name, after its stage where the name does not tell it.
func label(r *diagnose.Row) string {
	name := report.Clean(r.Name)
	if r.Span == nil || strings.Contains(name, r.Stage) {
		return name
	}
	return r.Stage + ": " + name
}

// markFirst marks the first token, ttft after Enter, on the last LLM call that was running then.
func markFirst(laid []diagnose.Row, rows []row, ttft time.Duration) {
	for i := len(rows) - 1; i >= 0; i-- {
		if laid[i].Stage == "llm" && rows[i].start <= ttft && ttft <= rows[i].end {
			rows[i].first = ttft
			return
		}
	}
}
