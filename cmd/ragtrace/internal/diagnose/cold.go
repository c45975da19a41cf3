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

// A firstCost is a cold cost that no span names: it shows in how long the first use of something takes.
type firstCost struct {
	cause     string
	component Component
}

var firstCosts = []firstCost{
	{causeEmbedLoad, Embed}, {causeIndexCold, Search}, {causeRerankCold, Rerank}, {causeLazyImport, GapStart},
}

// colds lists the cold costs of every question with known times.
func (j *judge) colds() {
	j.loads = make(uses)
	for _, g := range j.groups {
		firsts := make(map[Component]*Question, len(firstCosts))
		for _, f := range firstCosts {
			firsts[f.component] = g.first(f.component)
		}
		for _, q := range g.all {
			cold := j.coldCosts(g, q, firsts)
			if len(cold) == 0 {
				continue
			}
			slices.SortStableFunc(cold, func(a, b Cold) int { return cmp.Compare(b.Time, a.Time) })
			j.cold[q] = cold
			if c := q.loadCall(); c != nil && j.isCold(q, LLMLoad) {
				j.loads.add(use{start: c.LoadStart, end: c.LoadEnd, call: c, question: q})
			}
		}
	}
	j.loads.order()
}

func (j *judge) coldCosts(g *group, q *Question, firsts map[Component]*Question) []Cold {
	var cold []Cold
	for _, load := range []struct {
		cause     string
		component Component
	}{{causeLLMLoad, LLMLoad}, {causeEmbedLoad, EmbedLoad}} {
		d := q.Components[load.component]
		if d > warmLoad && d > warmLoads*g.warmMedian(load.component) {
			cold = append(cold, Cold{load.cause, load.component, d})
		}
	}
	if d := q.Components[Connect]; d >= newConnect {
		if median, _ := g.othersMedian(quantity(Connect), q); float64(d) > connectTimes*median {
			cold = append(cold, Cold{causeConnection, Connect, d})
		}
	}
	for _, f := range firstCosts {
		isFirst := firsts[f.component] == q
		if f.component == GapStart {
			isFirst = j.firstOf[service{q.Service, q.Instance}] == q
		}
		named := slices.ContainsFunc(cold, func(c Cold) bool { return c.Cause == f.cause })
		if !isFirst || named {
			continue
		}
		d := float64(q.Components[f.component])
		median, n := g.othersMedian(quantity(f.component), q)
		if n >= firstOthers && d > firstTimes*median && d-median > float64(firstOver) {
			cold = append(cold, Cold{f.cause, f.component, time.Duration(d - median)})
		}
	}
	return cold
}

// isCold reports whether the question has a cold cost in a component.
func (j *judge) isCold(q *Question, c Component) bool {
	return slices.ContainsFunc(j.cold[q], func(cold Cold) bool { return cold.Component == c })
}
