package stats

import (
	"cmp"
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A Summary is what stats tells.
type Summary struct {
	Statuses   Statuses
	Throughput Throughput
	Groups     []Group // by backend, the one with the most questions first
}

// Statuses count questions by how they ended.
type Statuses struct{ OK, Error, Cancelled, Incomplete int }

func (s *Statuses) add(status diagnose.Status) {
	switch status {
	case diagnose.StatusOK:
		s.OK++
	case diagnose.StatusError:
		s.Error++
	case diagnose.StatusCancelled:
		s.Cancelled++
	default:
		s.Incomplete++
	}
}

// All is how many questions there are.
func (s Statuses) All() int { return s.OK + s.Failed() }

// Failed is how many did not end well. Their times are in no percentile.
func (s Statuses) Failed() int { return s.Error + s.Cancelled + s.Incomplete }

// A Group is what one backend did: the questions that it answered, and its LLM calls in all questions.
type Group struct {
	Backend  Backend
	Statuses Statuses
	// Warm and Cold add up to Statuses.OK.
	Warm, Cold         int
	Calls, FailedCalls int // in questions of any status
	Rows               []Row
}

// A Row is one metric of a group. A metric without any value has none, nor has a component that never occurs.
type Row struct {
	Metric          *Metric
	All, Warm, Cold Dist
}

// Summarise sums up the questions that f chooses.
func Summarise(results []diagnose.Result, f Filter) Summary {
	s := Summary{Throughput: throughput(results, f)}
	groups := make(map[Backend]*Group)
	group := func(b Backend) *Group {
		if groups[b] == nil {
			groups[b] = &Group{Backend: b}
		}
		return groups[b]
	}
	for i := range results {
		r := &results[i]
		if !f.around(r) {
			continue
		}
		if b := Answering(r.Question); f.backend(b) {
			g := group(b)
			s.Statuses.add(r.Status)
			g.Statuses.add(r.Status)
			switch {
			case r.Status != diagnose.StatusOK:
			case IsCold(r):
				g.Cold++
			default:
				g.Warm++
			}
		}
		for i := range r.Question.Calls {
			c := &r.Question.Calls[i]
			if b := backendOf(c); f.backend(b) {
				g := group(b)
				g.Calls++
				if c.Failed {
					g.FailedCalls++
				}
			}
		}
	}
	for b, g := range groups {
		f := f
		f.Backend = &b
		g.Rows = rows(results, f)
		s.Groups = append(s.Groups, *g)
	}
	slices.SortFunc(s.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Statuses.All(), a.Statuses.All()), cmp.Compare(a.Backend.Provider, b.Backend.Provider),
			cmp.Compare(a.Backend.Model, b.Backend.Model))
	})
	return s
}

func rows(results []diagnose.Result, f Filter) []Row {
	var rows []Row
	for _, m := range Metrics {
		var warm, cold []float64
		for _, v := range Sample(m, f, results) {
			if IsCold(v.Of) {
				cold = append(cold, v.V)
			} else {
				warm = append(warm, v.V)
			}
		}
		all := slices.Concat(warm, cold)
		if !slices.ContainsFunc(all, func(v float64) bool { return v != 0 || !m.Part }) {
			continue
		}
		rows = append(rows, Row{Metric: m, All: distOf(all), Warm: distOf(warm), Cold: distOf(cold)})
	}
	return rows
}
