package diagnose

import (
	"slices"
	"time"
)

// A group is the questions of one service and pipeline over all sessions: the peers that a question is compared with.
type group struct {
	all []*Question // by start, whatever their status
	ok  []*Question // likewise

	samples [numQuantities]*sample // of the ok questions, made when first asked for
	warm    [numQuantities]*sample // of those of them that are warm loads, likewise

	evicts bool // embedding and chat model push each other out
}

// minPeers is how many ok questions a group needs before any of them can be called slow.
const minPeers = 3

// sample is the values of the ok questions that know k.
func (g *group) sample(k quantity) *sample {
	if g.samples[k] == nil {
		values := make([]float64, 0, len(g.ok))
		for _, q := range g.ok {
			if v, ok := k.of(q); ok {
				values = append(values, v)
			}
		}
		g.samples[k] = newSample(values)
	}
	return g.samples[k]
}

// warmMedian is the median of a load over the ok questions that found the model loaded; 0 without any.
func (g *group) warmMedian(load Component) time.Duration {
	if g.warm[load] == nil {
		var values []float64
		for _, q := range g.ok {
			if d := q.Components[load]; d <= warmLoad {
				values = append(values, float64(d))
			}
		}
		g.warm[load] = newSample(values)
	}
	return time.Duration(g.warm[load].median())
}

// othersMedian is the median of k over the group's ok questions but q, and how many there are; 0 without any.
func (g *group) othersMedian(k quantity, q *Question) (median float64, n int) {
	s := g.sample(k)
	if v, known := k.of(q); known && q.Status == StatusOK {
		return s.medianWithout(v), s.n - 1
	}
	return s.median(), s.n
}

// othersHave reports whether k is anything but 0 in an ok question other than q.
func (g *group) othersHave(k quantity, q *Question) bool {
	return slices.ContainsFunc(g.ok, func(o *Question) bool {
		v, ok := k.of(o)
		return o != q && ok && v != 0
	})
}

// excess is how far q's value lies above the others' median.
func (g *group) excess(k quantity, q *Question) time.Duration {
	v, _ := k.of(q)
	median, _ := g.othersMedian(k, q)
	return time.Duration(v - median)
}

// above reports whether q's value is more than times the others' median; what is unknown is not.
func (g *group) above(times float64, k quantity, q *Question) bool {
	v, known := k.of(q)
	median, n := g.othersMedian(k, q)
	return known && n > 0 && v > times*median
}

// multiple is how often the others' median fits into q's value; ok is false when either is unknown or the median is 0.
func (g *group) multiple(k quantity, q *Question) (times float64, ok bool) {
	v, known := k.of(q)
	median, n := g.othersMedian(k, q)
	if !known || n == 0 || median <= 0 {
		return 0, false
	}
	return v / median, true
}

// first is the group's first question, of any status, that has a span of c; nil when none has.
func (g *group) first(c Component) *Question {
	for _, q := range g.all {
		if q.Has(c) {
			return q
		}
	}
	return nil
}
