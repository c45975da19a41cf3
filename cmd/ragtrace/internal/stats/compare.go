package stats

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A Comparison is what B took beside A, metric by metric.
type Comparison struct {
	A, B Side
	// E2E is the whole; it is also the first of Rows.
	E2E  Difference
	Rows []Difference // E2E, inside and outside, then the components by what they changed, then what is no part of E2E
}

// A Side is what was compared: one question, or the median of several.
type Side struct {
	Questions int
	Cold      int // of them, with a cold cost
}

// A Difference is one metric on both sides: its value, or the median of its values.
type Difference struct {
	Metric *Metric
	A, B   float64
	// NA and NB are how many values there are.
	NA, NB int
	// Share is the part that a component has in the difference of E2E; nil when that is below a millisecond, and for what is
	// no part of it. Shares of medians need not add up to 1.
	Share *float64
	// Interval is that of By; nil where a side has fewer than EnoughForInterval values.
	Interval *Interval
}

// By is B less A.
func (d *Difference) By() float64 { return d.B - d.A }

// Compare compares two lists of questions; those that did not end well are left out. A metric that one of them lacks has no
// row, nor has a component that occurs in neither.
func Compare(a, b []diagnose.Result, fa, fb Filter) Comparison {
	c := Comparison{A: sideOf(a, fa), B: sideOf(b, fb)}
	for _, m := range Metrics {
		va, vb := numbers(Sample(m, fa, a)), numbers(Sample(m, fb, b))
		if len(va) == 0 || len(vb) == 0 {
			continue
		}
		slices.Sort(va)
		slices.Sort(vb)
		if m.Part && va[len(va)-1] == 0 && vb[len(vb)-1] == 0 {
			continue
		}
		d := Difference{Metric: m, NA: len(va), NB: len(vb)}
		d.A, _ = Percentile(va, 50)
		d.B, _ = Percentile(vb, 50)
		if in, ok := medianInterval(va, vb); ok {
			d.Interval = &in
		}
		if m == E2E {
			c.E2E = d
		} else if whole := c.E2E.By(); m.Part && math.Abs(whole) >= float64(time.Millisecond) {
			share := d.By() / whole
			d.Share = &share
		}
		c.Rows = append(c.Rows, d)
	}
	slices.SortStableFunc(c.Rows, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(standing(a.Metric), standing(b.Metric)), byChange(a, b))
	})
	return c
}

// standing puts the whole first, then its two sides, then its components, then the rest.
func standing(m *Metric) int {
	switch {
	case m == E2E:
		return 0
	case m.Name == "inside", m.Name == "outside":
		return 1
	case m.Part:
		return 2
	}
	return 3
}

// byChange orders components; what is no part keeps its place.
func byChange(a, b Difference) int {
	if standing(a.Metric) != 2 {
		return 0
	}
	return cmp.Compare(math.Abs(b.By()), math.Abs(a.By()))
}

func sideOf(results []diagnose.Result, f Filter) Side {
	var s Side
	for i := range results {
		if r := &results[i]; Compared(r) && f.Question(r) {
			s.Questions++
			if IsCold(r) {
				s.Cold++
			}
		}
	}
	return s
}
