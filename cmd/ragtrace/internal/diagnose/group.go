package diagnose

import (
	"slices"
	"sort"
	"time"
)

// A group is the questions of one service and pipeline over all sessions: the peers that a question is compared with.
type group struct {
	all []*Question // by start, whatever their status
	ok  []*Question // likewise

	samples [numQuantities][]float64 // sorted values of the ok questions, made when first asked for
	sampled [numQuantities]bool

	evicts bool // embedding and chat model push each other out
}

// minPeers is how many ok questions a group needs before any of them can be called slow.
const minPeers = 3

// sample is the sorted values of the ok questions that know k.
func (g *group) sample(k quantity) []float64 {
	if !g.sampled[k] {
		g.sampled[k] = true
		values := make([]float64, 0, len(g.ok))
		for _, q := range g.ok {
			if v, ok := k.of(q); ok {
				values = append(values, v)
			}
		}
		slices.Sort(values)
		g.samples[k] = values
	}
	return g.samples[k]
}

// othersMedian is the median of k over the group's ok questions but q, and how many there are; 0 without any.
func (g *group) othersMedian(k quantity, q *Question) (median float64, n int) {
	sorted := g.sample(k)
	if v, known := k.of(q); known && q.Status == StatusOK {
		// Which of several equal values is left out makes no difference.
		skip, found := slices.BinarySearch(sorted, v)
		if found {
			return medianOf(len(sorted)-1, func(i int) float64 {
				if i >= skip {
					i++
				}
				return sorted[i]
			})
		}
	}
	return medianOf(len(sorted), func(i int) float64 { return sorted[i] })
}

func medianOf(n int, at func(int) float64) (median float64, count int) {
	switch {
	case n <= 0:
		return 0, 0
	case n%2 == 1:
		return at(n / 2), n
	default:
		return (at(n/2-1) + at(n/2)) / 2, n
	}
}

// excess is how far q's value lies above the others' median.
func (g *group) excess(k quantity, q *Question) time.Duration {
	v, _ := k.of(q)
	median, _ := g.othersMedian(k, q)
	return time.Duration(v - median)
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

// medianUpTo is the median of the values of k that are not above limit; 0 without any.
func (g *group) medianUpTo(k quantity, limit time.Duration) time.Duration {
	sorted := g.sample(k)
	n := sort.Search(len(sorted), func(i int) bool { return sorted[i] > float64(limit) })
	median, _ := medianOf(n, func(i int) float64 { return sorted[i] })
	return time.Duration(median)
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
