package timings

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
)

// maxRuns is how many runs of a group are listed. Nobody reads more; JSON has them all.
const maxRuns = 40

// Table writes several exchanges: the runs by backend and model, and p50 and p95 of each without its first run, the
// warm-up, and without those that failed.
func Table(s report.Screen, results []*Result) error {
	var b strings.Builder
	all := groups(results)
	for _, g := range all {
		b.WriteString(s.Paint(report.Bold, report.Clean(g.title())) + "\n")
		b.WriteString(g.list(s) + "\n")
	}
	b.WriteString(summary(s, all))
	for _, note := range tableNotes(all) {
		b.WriteString(report.Paragraph(s, "- ", note))
	}
	_, err := io.WriteString(s, b.String())
	return err
}

// list is the runs of the group, one a line: the last ones, when there are many.
func (g *group) list(s report.Screen) string {
	// One column has one ruler: the server's, where no run has the client's.
	clients, servers := func(f *figures) stages.Timing { return f.TPOT }, func(f *figures) stages.Timing { return f.TPOTServer }
	perToken, name := clients, "TPOT"
	if !g.has(clients) && g.has(servers) {
		perToken, name = servers, "TPOT server"
	}
	heads := []report.Head{
		{Text: "run"}, {Text: "E2E", Right: true}, {Text: "TTFT", Right: true}, {Text: name, Right: true},
		{Text: "load", Right: true}, {Text: "notes"},
	}
	runs, left := g.runs, 0
	if len(runs) > maxRuns {
		left = len(runs) - maxRuns
		runs = slices.Concat(runs[:1], runs[left+1:])
	}
	var rows [][]string
	for _, r := range runs {
		f := r.figures()
		ttft := duration(f.TTFT)
		if !f.TTFT.Known() && f.approx.Known() {
			ttft = "~" + report.Duration(f.approx.D)
		}
		rows = append(rows, []string{
			shortName(s, r.Input), duration(f.E2E), ttft, duration(perToken(&f)), duration(f.said.load), g.remarks(r),
		})
	}
	text := report.Grid(s, heads, rows)
	if left > 0 {
		text += fmt.Sprintf("%d more runs, after the first, are not shown; --json has them all.\n", left)
	}
	return text
}

// shortName is a file's name without what all of them have in common, as far as that can be told from one.
func shortName(s report.Screen, input string) string {
	const most = 24
	name := []rune(strings.TrimSuffix(filepath.Base(input), ".json"))
	if len(name) <= most {
		return string(name)
	}
	dots := "..."
	if s.Unicode {
		dots = "…"
	}
	return string(name[:10]) + dots + string(name[len(name)-most+10+len([]rune(dots)):])
}

// remarks are what the figures of a run do not tell.
func (g *group) remarks(r *Result) string {
	var parts []string
	if r == g.warmUp {
		parts = append(parts, "warm-up")
	}
	if !r.OK() {
		parts = append(parts, r.outcome())
	}
	for _, flag := range r.flags() {
		parts = append(parts, strings.ReplaceAll(flag, "_", " "))
	}
	return strings.Join(parts, "; ")
}

// tableNotes say what was left out of the percentiles, and what the clocks are.
func tableNotes(all []*group) []string {
	var notes []string
	var warm, failed, held int
	clocks := make(map[Clock]bool)
	approximate := false
	for _, g := range all {
		clocks[g.clock] = true
		if g.warmUp != nil {
			warm++
		}
		failed += g.failed()
		for _, r := range g.counted() {
			if r.held() {
				held++
			}
		}
		for _, r := range g.runs {
			approximate = approximate || r.figures().approx.Known()
		}
	}
	if warm > 0 {
		notes = append(notes, "The first run of each backend and model is a warm-up and left out.")
	}
	if failed > 0 {
		notes = append(notes, "Failed, and left out: "+number(failed, "run")+".")
	}
	if held > 0 {
		notes = append(notes, "Held back on the way (buffered stream), and left out of TTFT, TPOT and ITL: "+number(held, "answer")+".")
	}
	if approximate {
		notes = append(notes, "~ and approx.: load + prefill as the server reports them, for answers that came in one piece; without "+
			"queue and network.")
	}
	for _, clock := range []Clock{ClientClock, PipeClock, ServerClock} {
		if clocks[clock] {
			notes = append(notes, clockWords[clock])
		}
	}
	return notes
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func duration(t stages.Timing) string {
	if !t.Known() {
		return "-"
	}
	return report.Duration(t.D)
}
