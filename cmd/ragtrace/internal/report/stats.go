package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// Stats writes a summary: what was done in what time, then a table for each backend, then how to read them.
func Stats(s Screen, sum stats.Summary) error {
	var b strings.Builder
	paragraph(&b, s, "", answered(sum))
	for _, line := range rates(sum.Throughput) {
		paragraph(&b, s, "", line)
	}
	var shown []*stats.Metric
	few := false
	for _, g := range sum.Groups {
		b.WriteString("\n" + s.Paint(Bold, Clean(backendName(g.Backend))) + "\n")
		paragraph(&b, s, "", groupLine(g))
		if len(g.Rows) > 0 {
			b.WriteString(groupTable(g).draw(s))
		}
		for _, r := range g.Rows {
			few = few || r.All.Few() || r.Warm.Few() || r.Cold.Few()
			if !slices.Contains(shown, r.Metric) {
				shown = append(shown, r.Metric)
			}
		}
	}
	if len(shown) > 0 {
		b.WriteString("\n")
		legend(&b, s, shown, few)
	}
	_, err := s.Write([]byte(b.String()))
	return err
}

// answered counts questions by how they ended.
func answered(sum stats.Summary) string {
	text := plural(sum.Statuses.OK, "question answered", "questions answered")
	if failed := failures(sum.Statuses); failed != "" {
		text += "; not in the percentiles: " + failed
	}
	return text + "."
}

// failures counts what did not end well by status: "2 error, 1 cancelled"; "" for none.
func failures(n stats.Statuses) string {
	var parts []string
	for _, x := range []struct {
		n    int
		name string
	}{{n.Error, "error"}, {n.Cancelled, "cancelled"}, {n.Incomplete, "incomplete"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.name))
		}
	}
	return strings.Join(parts, ", ")
}

// rates are lines of what was done a second: over the whole time, and over the time with a question under way.
func rates(t stats.Throughput) []string {
	line := func(d time.Duration) string {
		questions, ok := stats.PerSecond(int64(t.Answered), d)
		if !ok {
			return ""
		}
		text := rate(questions) + " questions/s"
		if tokens, output, ok := t.Tokens(); ok {
			all, _ := stats.PerSecond(tokens, d)
			out, _ := stats.PerSecond(output, d)
			text += fmt.Sprintf(", %s tokens/s (of them %s output)", rate(all), rate(out))
		}
		return text
	}
	if t.Span <= 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("First start to last end %s: %s.", Duration(t.Span), line(t.Span))}
	if t.Busy < t.Span {
		lines = append(lines, fmt.Sprintf("Busy for %s of it: %s.", Duration(t.Busy), line(t.Busy)))
	}
	if t.Untold > 0 {
		lines = append(lines, fmt.Sprintf("Tokens/s are unknown: %d of %d LLM calls do not tell theirs.", t.Untold, t.Calls))
	}
	return lines
}

// rate writes a number with three significant digits, whatever its size.
func rate(v float64) string {
	if v <= 0 {
		return "0"
	}
	places := 2 - int(math.Floor(math.Log10(v)))
	return strconv.FormatFloat(v, 'f', max(places, 0), 64)
}

func backendName(b stats.Backend) string {
	switch {
	case b == stats.Backend{}:
		return "no LLM named"
	case b.Provider == "":
		return b.Model
	case b.Model == "":
		return b.Provider + ", model unknown"
	}
	return b.Provider + " " + b.Model
}

func groupLine(g stats.Group) string {
	text := plural(g.Statuses.OK, "question answered", "questions answered")
	if g.Cold > 0 {
		text += fmt.Sprintf(" (%d warm, %d with a cold cost)", g.Warm, g.Cold)
	}
	if failed := failures(g.Statuses); failed != "" {
		text += ", " + failed
	}
	text += "; " + plural(g.Calls, "LLM call", "LLM calls")
	if g.FailedCalls > 0 {
		text += fmt.Sprintf(", %d failed", g.FailedCalls)
	}
	return text
}

// groupTable has a line for each metric. Warm and cold stand beside all only where there are both.
func groupTable(g stats.Group) table {
	right := func(head string) column { return column{Head: head, Right: true} }
	apart := g.Warm > 0 && g.Cold > 0
	t := table{Columns: []column{{Head: "metric"}, right("n"), right("p50"), right("p95 ")}}
	if apart {
		t.Columns = []column{{Head: "metric"}, right("p50"), right("p95 "), right("warm"), right("p50"), right("p95 "), right("cold"),
			right("p50"), right("p95 ")}
	}
	for _, r := range g.Rows {
		if r.Metric.Name == "unattributed" { // its two parts are there
			continue
		}
		row := []cell{{Text: r.Metric.Title}}
		if apart {
			row = append(append(append(row, distCells(r.Metric, r.All)[1:]...), distCells(r.Metric, r.Warm)...), distCells(r.Metric, r.Cold)...)
		} else {
			row = append(row, distCells(r.Metric, r.All)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// distCells are n, p50 and p95, which is marked when it is made of few values.
func distCells(m *stats.Metric, d stats.Dist) []cell {
	if d.N == 0 {
		return []cell{{Text: "0"}, {Text: "-"}, {Text: "- "}}
	}
	mark := " "
	if d.Few() {
		mark = "*"
	}
	return []cell{{Text: strconv.Itoa(d.N)}, {Text: Quantity(m, d.P50)}, {Text: Quantity(m, d.P95) + mark}}
}

// Quantity is a value of a metric in its unit.
func Quantity(m *stats.Metric, v float64) string {
	if m.Unit == stats.Tokens {
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	return Duration(time.Duration(v))
}

// legend says what the figures are.
func legend(b *strings.Builder, s Screen, shown []*stats.Metric, few bool) {
	paragraph(b, s, "", "Percentiles by linear interpolation between the nearest ranks, as numpy and vllm bench work them out; "+
		"of questions that ended well, and of LLM calls that did not fail. Cold: the question has a cold cost (ragtrace slow names it).")
	if few {
		paragraph(b, s, "* ", fmt.Sprintf("of fewer than %d values: hardly more than the largest of them", stats.EnoughForP95))
	}
	for _, m := range shown {
		if !m.Part && m.Unit == stats.Time {
			paragraph(b, s, "  ", m.Title+": "+m.About)
		}
	}
}

// plural counts things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
