package stats

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

func TestMiddleIsTheMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 20), 1, 12).Draw(t, "values")
		out := rapid.IntRange(0, len(values)-1).Draw(t, "out")
		v := values[out]
		others := slices.Delete(slices.Clone(values), out, out+1)
		slices.Sort(others)
		without, _ := Percentile(others, 50)
		m := MiddleOf(values) // sorts them
		all, _ := Percentile(values, 50)
		if m.Median() != all {
			t.Errorf("median %v, want %v", m.Median(), all)
		}
		if got := m.MedianWithout(v); got != without {
			t.Errorf("without %v the median is %v, want %v", v, got, without)
		}
	})
	if got := MiddleOf(nil).Median(); got != 0 {
		t.Errorf("of nothing the median is %v", got)
	}
	if got := MiddleOf([]float64{1, 2, 9, 4}).MedianWithout(4); got != 2 {
		t.Errorf("the median of 1, 2 and 9 is %v", got)
	}
}

// Neither what is cold, failed, of other peers, nor the question itself is among its warm peers; what stands out is.
func TestWarmPeers(t *testing.T) {
	of := func(service string) *diagnose.Question { return &diagnose.Question{Service: service} }
	all := []diagnose.Result{
		{Question: of("s"), Number: 1, Timed: true, Status: diagnose.StatusOK},
		{Question: of("s"), Number: 2, Timed: true, Status: diagnose.StatusOK, Slow: true},
		{Question: of("s"), Number: 3, Timed: true, Status: diagnose.StatusOK, Cold: []diagnose.Cold{{}}},
		{Question: of("s"), Number: 4, Timed: true, Status: diagnose.StatusError},
		{Question: of("s"), Number: 5, Status: diagnose.StatusOK},
		{Question: of("other"), Number: 6, Timed: true, Status: diagnose.StatusOK},
		{Question: of("s"), Number: 7, Timed: true, Status: diagnose.StatusOK},
	}
	var got []int
	for _, r := range WarmPeers(all, &all[0]) {
		got = append(got, r.Number)
	}
	if !slices.Equal(got, []int{2, 7}) {
		t.Errorf("warm peers of 1 are %v, want 2 and 7", got)
	}
}
