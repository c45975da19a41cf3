package timings

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
)

// few is the number of values below which a p95 is marked: it is then one of the largest two.
const few = 20

// A row is one figure over the runs of a group.
type row struct {
	name     string
	n        int
	p50, p95 time.Duration
}

// rows are the figures of a group that at least one counted run has. What came through something that held tokens back
// is left out of TTFT, TPOT and ITL.
func (g *group) rows() []row {
	runs := g.counted()
	all := make([]figures, len(runs))
	for i, r := range runs {
		all[i] = r.figures()
	}
	byArrival := func(get func(*figures) stages.Timing) func(int) stages.Timing {
		return func(i int) stages.Timing {
			if runs[i].held() {
				return stages.Timing{}
			}
			return get(&all[i])
		}
	}
	var rows []row
	add := func(name string, get func(int) stages.Timing) {
		var values []time.Duration
		for i := range runs {
			if t := get(i); t.Known() {
				values = append(values, t.D)
			}
		}
		if len(values) > 0 {
			rows = append(rows, row{name, len(values), quantile(values, 0.5), quantile(values, 0.95)})
		}
	}
	add("E2E", func(i int) stages.Timing { return all[i].E2E })
	add("TTFT", byArrival(func(f *figures) stages.Timing { return f.TTFT }))
	if slices.ContainsFunc(all, func(f figures) bool { return f.TTFA != f.TTFT }) {
		add("TTFA", byArrival(func(f *figures) stages.Timing { return f.TTFA }))
	}
	add("TTFT server", func(i int) stages.Timing { return all[i].TTFTServer })
	if slices.ContainsFunc(all, func(f figures) bool { return f.TTFAServer != f.TTFTServer }) {
		add("TTFA server", func(i int) stages.Timing { return all[i].TTFAServer })
	}
	add("TTFT approx.", func(i int) stages.Timing { return all[i].approx })
	add("TPOT", byArrival(func(f *figures) stages.Timing { return f.TPOT }))
	add("TPOT server", func(i int) stages.Timing { return all[i].TPOTServer })
	if r, ok := pooled(runs, all); ok {
		rows = append(rows, r)
	}
	add("load", func(i int) stages.Timing { return all[i].said.load })
	add("queue", func(i int) stages.Timing { return all[i].Queue })
	add("prefill", func(i int) stages.Timing { return all[i].said.prefill })
	add("decode", func(i int) stages.Timing { return all[i].said.decode })
	return rows
}

// pooled is the gaps of all runs together.
func pooled(runs []*Result, all []figures) (row, bool) {
	var gaps stages.Gaps
	for i := range all {
		if !runs[i].held() {
			gaps.Pool(all[i].gaps)
		}
	}
	p50, ok := gaps.Quantile(0.5)
	p95, _ := gaps.Quantile(0.95)
	return row{"ITL", gaps.N(), p50, p95}, ok
}

// quantile is the q-quantile of at least one value, with linear interpolation between neighbours.
func quantile(values []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	pos := q * float64(len(sorted)-1)
	lo := int(pos)
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + time.Duration((pos-float64(lo))*float64(sorted[hi]-sorted[lo]))
}

// summary is the table over all groups.
func summary(s report.Screen, all []*group) string {
	heads := []report.Head{
		{Text: "backend", Max: 22}, {Text: "model", Max: 20}, {Text: "figure"}, {Text: "n", Right: true},
		{Text: "p50", Right: true}, {Text: "p95", Right: true},
	}
	var rows [][]string
	marked := false
	for _, g := range all {
		for _, r := range g.rows() {
			mark := " "
			if r.n < few {
				mark, marked = "*", true
			}
			rows = append(rows, []string{
				cmp.Or(g.backend, "unknown"), cmp.Or(g.model, "-"), r.name, fmt.Sprint(r.n), report.Duration(r.p50),
				report.Duration(r.p95) + mark,
			})
		}
	}
	if len(rows) == 0 {
		return report.Paragraph(s, "", "Nothing is left to summarise: the first run of each backend and model is a warm-up.")
	}
	text := report.Grid(s, heads, rows)
	if marked {
		text += fmt.Sprintf("* p95 of fewer than %d values: little more than the largest one.\n", few)
	}
	return text
}
