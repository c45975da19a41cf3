package stats

import (
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// IsWarm reports whether a question ended well, at known times, and had nothing cold.
func IsWarm(r *diagnose.Result) bool { return Compared(r) && !IsCold(r) }

// WarmPeers are the warm questions of q's service and pipeline, without q itself: the warm median is theirs.
func WarmPeers(all []diagnose.Result, q *diagnose.Result) []diagnose.Result {
	var peers []diagnose.Result
	for i := range all {
		r := &all[i]
		if r.Question != q.Question && r.Question.Service == q.Question.Service && r.Question.Pipeline == q.Question.Pipeline && IsWarm(r) {
			peers = append(peers, *r)
		}
	}
	return peers
}

// A Middle is what is needed of values to tell their median without any one of them.
type Middle struct {
	n     int
	first int       // the place of near[0] among all, sorted
	near  []float64 // at most four
}

// MiddleOf sorts values.
func MiddleOf(values []float64) Middle {
	slices.Sort(values)
	n := len(values)
	first, end := max(n/2-2, 0), min(n/2+2, n)
	return Middle{n, first, slices.Clone(values[first:end])}
}

// Median is that of all values; 0 without any.
func (m Middle) Median() float64 {
	if m.n == 0 {
		return 0
	}
	return m.between((m.n-1)/2, m.n/2, func(k int) float64 { return m.near[k-m.first] })
}

// MedianWithout is that of all values but one of those that equal v, which must be among them; 0 when there is no other.
func (m Middle) MedianWithout(v float64) float64 {
	if m.n < 2 {
		return 0
	}
	return m.between((m.n-2)/2, (m.n-1)/2, func(k int) float64 {
		if x := m.near[k-m.first]; x < v {
			return x
		}
		return m.near[k+1-m.first] // v was before it
	})
}

func (m Middle) between(low, high int, at func(int) float64) float64 {
	median, _ := Percentile([]float64{at(low), at(high)}, 50)
	return median
}
