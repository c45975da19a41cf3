package terminal

import (
	"slices"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
)

// rowsOf turns the tree into lines, the gaps between the stages among them. Gaps shorter than a two-hundredth of the
// question are the time between two statements, and have no line.
func rowsOf(top *bar, r diagnose.Result) []row {
	var shown []stretch
	for _, g := range gaps(top) {
		if g.end-g.start >= (top.end-top.start)/200 {
			shown = append(shown, g)
		}
	}
	var rows []row
	rows = appendRows(rows, top, 0, shown)
	markCold(rows, r.Cold)
	if r.TTFT != nil {
		markFirst(rows, *r.TTFT)
	}
	return rows
}

// appendRows adds b and what is below it, by time. A gap stands where it begins, as deep as the bars that contain it.
func appendRows(rows []row, b *bar, depth int, free []stretch) []row {
	rows = append(rows, rowOf(b, depth))
	below := b.below
	for len(below) > 0 || len(free) > 0 {
		if len(below) == 0 || len(free) > 0 && free[0].start < below[0].start {
			g := free[0]
			free = free[1:]
			rows = append(rows, row{depth: depth + 1, label: "gap", stage: "gap", start: g.start, end: g.end, kind: gap})
			continue
		}
		c := below[0]
		below = below[1:]
		var within []stretch
		free = slices.DeleteFunc(slices.Clone(free), func(g stretch) bool {
			inside := c.start <= g.start && g.end <= c.end
			if inside {
				within = append(within, g)
			}
			return inside
		})
		rows = appendRows(rows, c, depth+1, within)
	}
	return rows
}

func rowOf(b *bar, depth int) row {
	r := row{depth: depth, label: label(b), stage: b.stage, start: b.start, end: b.end, kind: b.kind()}
	if b.failed() && depth > 0 {
		r.note = "failed"
		if t := report.Clean(b.span.Attrs.String("error.type")); t != "" && len(t) <= 12 {
			r.note += " " + t
		}
	}
	return r
}

// label is the span's name, after its stage where the name does not tell it.
func label(b *bar) string {
	name := report.Clean(b.span.Name)
	if strings.Contains(name, b.stage) || b.stage == "" {
		return name
	}
	return b.stage + ": " + name
}

// markCold notes each cold cost at the longest row of its component.
func markCold(rows []row, costs []diagnose.Cold) {
	for _, c := range costs {
		var longest *row
		for i := range rows {
			r := &rows[i]
			if r.component() == c.Component && (longest == nil || r.end-r.start > longest.end-longest.start) {
				longest = r
			}
		}
		if longest != nil && longest.note == "" {
			longest.note = "cold"
		}
	}
}

// component is the component of cold costs that r may stand for.
func (r row) component() diagnose.Component {
	switch r.stage {
	case string(stages.LLMLoad):
		return diagnose.LLMLoad
	case string(stages.EmbedLoad):
		return diagnose.EmbedLoad
	case string(stages.Embed):
		return diagnose.Embed
	case string(stages.Search):
		return diagnose.Search
	case string(stages.Rerank):
		return diagnose.Rerank
	case string(stages.Connect):
		return diagnose.Connect
	case "gap":
		return diagnose.GapStart
	}
	return diagnose.Gap // which is never cold
}

// markFirst marks the first token, ttft after Enter, on the last LLM call that was running then.
func markFirst(rows []row, ttft time.Duration) {
	for i := len(rows) - 1; i >= 0; i-- {
		if r := &rows[i]; r.stage == string(stages.LLM) && r.start <= ttft && ttft <= r.end {
			r.first = ttft
			return
		}
	}
}
