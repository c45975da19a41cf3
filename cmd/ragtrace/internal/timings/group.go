package timings

import (
	"cmp"
	"slices"

	"github.com/ragtrace/ragtrace/stages"
)

// A group is the exchanges that may stand in one row: of one backend, model and stage, on one clock.
type group struct {
	backend, model string
	stage          stages.Stage
	clock          Clock
	runs           []*Result // in the order in which they began, where that is known; else as they were given
	warmUp         *Result   // the first run that succeeded; nil when none did
}

// groups sorts results by what can be compared, in the order of each group's first appearance.
func groups(results []*Result) []*group {
	var all []*group
	for _, r := range results {
		g := group{backend: r.Backend(), model: r.Model(), stage: r.Facts.Stage, clock: r.Clock}
		i := slices.IndexFunc(all, func(o *group) bool {
			return o.backend == g.backend && o.model == g.model && o.stage == g.stage && o.clock == g.clock
		})
		if i < 0 {
			i, all = len(all), append(all, &g)
		}
		all[i].runs = append(all[i].runs, r)
	}
	for _, g := range all {
		g.settle()
	}
	return all
}

// settle orders the runs and finds the first.
func (g *group) settle() {
	if !slices.ContainsFunc(g.runs, func(r *Result) bool { return r.Began.IsZero() }) {
		slices.SortStableFunc(g.runs, func(a, b *Result) int { return a.Began.Compare(b.Began) })
	}
	if i := slices.IndexFunc(g.runs, (*Result).OK); i >= 0 {
		g.warmUp = g.runs[i]
	}
}

// counted are the runs whose figures count: those that succeeded, without the first.
func (g *group) counted() []*Result {
	var runs []*Result
	for _, r := range g.runs {
		if r.OK() && r != g.warmUp {
			runs = append(runs, r)
		}
	}
	return runs
}

func (g *group) failed() int {
	n := 0
	for _, r := range g.runs {
		if !r.OK() {
			n++
		}
	}
	return n
}

// has reports whether a run of the group has the figure.
func (g *group) has(figure func(*figures) stages.Timing) bool {
	return slices.ContainsFunc(g.runs, func(r *Result) bool {
		f := r.figures()
		return figure(&f).Known()
	})
}

// title names the group: "ollama, llama3.2:3b".
func (g *group) title() string {
	title := cmp.Or(g.backend, "unknown API")
	if g.model != "" {
		title += ", " + g.model
	}
	return title
}

// warmUps are the first runs of several.
func warmUps(results []*Result) map[*Result]bool {
	first := make(map[*Result]bool)
	for _, g := range groups(results) {
		if g.warmUp != nil {
			first[g.warmUp] = true
		}
	}
	return first
}
