package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// Compare writes what B took beside A: a sentence, then a table. a and b name the sides.
func Compare(s Screen, a, b string, c stats.Comparison) error {
	var out strings.Builder
	paragraph(&out, s, "", compared(c))
	out.WriteString("\n")
	paragraph(&out, s, "A  ", sideName(a, c.A))
	paragraph(&out, s, "B  ", sideName(b, c.B))
	out.WriteString("\n" + comparisonTable(c).draw(s))
	if several(c) {
		out.WriteString("\n")
		paragraph(&out, s, "", "A and B are medians, and those of parts need not add up to that of the whole. "+interval(c))
	}
	_, err := s.Write([]byte(out.String()))
	return err
}

// several reports whether a side is a median of several questions.
func several(c stats.Comparison) bool { return c.A.Questions > 1 || c.B.Questions > 1 }

func sideName(name string, side stats.Side) string {
	if side.Questions == 1 && side.Cold == 1 {
		return name + ", cold"
	}
	if side.Questions == 1 {
		return name
	}
	text := fmt.Sprintf("%s: median of %d questions", name, side.Questions)
	if side.Cold > 0 {
		text += fmt.Sprintf(", %d of them cold", side.Cold)
	}
	return text
}

// compared is the answer in a sentence.
func compared(c stats.Comparison) string {
	d := c.E2E
	took := fmt.Sprintf("E2E is %s in A and %s in B", Quantity(d.Metric, d.A), Quantity(d.Metric, d.B))
	if d.Interval != nil && d.Interval.SpansZero() {
		return fmt.Sprintf("No difference shown: %s, and the 95 %% interval of the difference, %s, spans zero.", took, intervalText(d))
	}
	if math.Abs(d.By()) < float64(time.Millisecond) {
		return took + ": no difference."
	}
	word := "more"
	if d.By() < 0 {
		word = "less"
	}
	text := fmt.Sprintf("%s: %s %s", took, Duration(time.Duration(math.Abs(d.By()))), word)
	if d.Interval != nil {
		text += fmt.Sprintf(" (95 %% interval %s)", intervalText(d))
	}
	if parts := mainParts(c); len(parts) > 0 {
		last := len(parts) - 1
		if text += ", of which "; last > 0 {
			text += strings.Join(parts[:last], ", ") + " and "
		}
		text += parts[last]
	}
	return text + "."
}

// mainParts are the components that carry a fifth of the difference or more, three at most.
func mainParts(c stats.Comparison) []string {
	var parts []string
	for _, d := range c.Rows {
		component := d.Metric.Part && d.Metric.Name != "inside" && d.Metric.Name != "outside" && d.Metric.Name != "unattributed"
		if component && d.Share != nil && *d.Share >= 0.2 && len(parts) < 3 {
			parts = append(parts, fmt.Sprintf("%s %s (%s)", Duration(time.Duration(math.Abs(d.By()))), d.Metric.Title, shareText(*d.Share)))
		}
	}
	return parts
}

func comparisonTable(c stats.Comparison) table {
	t := table{Columns: []column{
		{Head: "metric"}, {Head: "A", Right: true}, {Head: "B", Right: true}, {Head: "difference", Right: true},
		{Head: "share", Right: true}, {Head: ""},
	}}
	intervals := c.E2E.Interval != nil
	if intervals {
		t.Columns[5].Head = "95 % interval"
	}
	for _, d := range c.Rows {
		if d.Metric.Name == "unattributed" || negligible(d) {
			continue
		}
		share := ""
		if d.Share != nil && d.Metric != stats.E2E {
			share = shareText(*d.Share)
		}
		row := []cell{
			{Text: d.Metric.Title}, {Text: Quantity(d.Metric, d.A)}, {Text: Quantity(d.Metric, d.B)}, {Text: signedQuantity(d.Metric, d.By())},
			{Text: share}, {Text: evidence(d, intervals)},
		}
		if d.Metric == stats.E2E {
			for i := range row {
				row[i].Ink = Bold
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// shareText is a share in whole per cent.
func shareText(share float64) string {
	percent := math.Round(100 * share)
	if percent == 0 {
		percent = 0 // a share of -0.4 % is no "-0 %"
	}
	return strconv.FormatFloat(percent, 'f', 0, 64) + " %"
}

// negligible is what took less than a millisecond on both sides, where a component says nothing.
func negligible(d stats.Difference) bool {
	return d.Metric.Part && max(d.A, d.B) < float64(time.Millisecond)
}

// evidence says whether the difference may be chance.
func evidence(d stats.Difference, intervals bool) string {
	switch {
	case d.Interval == nil && intervals:
		return "too few values"
	case d.Interval == nil:
		return ""
	case d.Interval.SpansZero():
		return "no difference shown"
	}
	return intervalText(d)
}

func intervalText(d stats.Difference) string {
	return signedQuantity(d.Metric, d.Interval.Low) + " to " + signedQuantity(d.Metric, d.Interval.High)
}

func signedQuantity(m *stats.Metric, v float64) string {
	if m.Unit == stats.Time {
		return Signed(time.Duration(v))
	}
	text := Quantity(m, v)
	if v >= 0.5 {
		return "+" + text
	}
	return text
}

// interval says where the intervals come from, or why there are none.
func interval(c stats.Comparison) string {
	if c.E2E.Interval == nil {
		return fmt.Sprintf("With fewer than %d questions on a side nothing is said of chance.", stats.EnoughForInterval)
	}
	return "The intervals are bootstrapped (percentiles of 4000 resampled differences of medians, fixed seed); one that spans " +
		"zero is no evidence of a difference."
}
