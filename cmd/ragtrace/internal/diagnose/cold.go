package diagnose

import (
	"cmp"
	"slices"
	"time"
)

// Limits of cold costs.
const (
	warmLoad     = 250 * time.Millisecond // a load phase up to this is handler work of a loaded model
	warmLoads    = 5                      // times the usual warm one is cold
	newConnect   = 20 * time.Millisecond
	firstTimes   = 3 // times the others' median
	firstOver    = 250 * time.Millisecond
	firstOthers  = 2 // at least
	connectTimes = 3
)

// colds lists the cold costs of every question with known times.
func (j *Judgement) colds() {
	for _, g := range j.groups {
		j.coldLoads(g, LLMLoad, causeLLMLoad)
		j.coldLoads(g, EmbedLoad, causeEmbedLoad)
		j.newConnections(g)
		// A cold cost that no span names shows in how long the first use of something takes.
		for _, f := range []struct {
			cause     string
			component Component
		}{{causeEmbedLoad, Embed}, {causeIndexCold, Search}, {causeRerankCold, Rerank}} {
			if row, ok := g.first(f.component); ok {
				j.firstUse(g, row, f.component, f.cause)
			}
		}
	}
	for _, row := range j.firstOf {
		j.firstUse(j.groupOf(row), row, GapStart, causeLazyImport)
	}
	rows := make([]int32, 0, len(j.cold))
	for row := range j.cold {
		rows = append(rows, int32(row))
	}
	slices.Sort(rows)
	j.loads = newUses(j.t)
	for _, cold := range rows {
		row := int(cold)
		g := j.groupOf(row)
		g.cold = append(g.cold, cold)
		slices.SortStableFunc(j.cold[row], func(a, b Cold) int { return cmp.Compare(b.Time, a.Time) })
		if l, ok := j.t.loadOf(row); ok && j.isCold(row, LLMLoad) {
			j.loads.add(use{start: l.start, end: l.end, call: int32(l.call), row: cold}, 0)
		}
	}
	j.loads.order()
}

func (j *Judgement) addCold(row int, cause string, c Component, d time.Duration) {
	j.cold[row] = append(j.cold[row], Cold{cause, c, d})
}

func (j *Judgement) coldLoads(g *group, c Component, cause string) {
	loads := j.t.component(c)
	for _, row := range g.all {
		if d := time.Duration(loads[row]); d > warmLoad && d > warmLoads*g.warmMedian(c) {
			j.addCold(int(row), cause, c, d)
		}
	}
}

func (j *Judgement) newConnections(g *group) {
	times := j.t.component(Connect)
	for _, row := range g.all {
		d := time.Duration(times[row])
		if d < newConnect {
			continue
		}
		if median, _ := g.othersMedian(quantity(Connect), int(row)); float64(d) > connectTimes*median {
			j.addCold(int(row), causeConnection, Connect, d)
		}
	}
}

// firstUse adds a cost when what is used first took far longer than later, unless the cost is named already.
func (j *Judgement) firstUse(g *group, row int, c Component, cause string) {
	if slices.ContainsFunc(j.cold[row], func(c Cold) bool { return c.Cause == cause }) {
		return
	}
	d := float64(j.t.component(c)[row])
	if d <= float64(firstOver) { // whatever is usual
		return
	}
	median, n := g.othersMedian(quantity(c), row)
	if n >= firstOthers && d > firstTimes*median && d-median > float64(firstOver) {
		j.addCold(row, cause, c, time.Duration(d-median))
	}
}

// isCold reports whether the row's question has a cold cost in a component.
func (j *Judgement) isCold(row int, c Component) bool {
	return slices.ContainsFunc(j.cold[row], func(cold Cold) bool { return cold.Component == c })
}
