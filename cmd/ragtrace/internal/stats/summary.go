package stats

import (
	"cmp"
	"slices"
	"sync"

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

func (s *Statuses) join(o Statuses) {
	s.OK += o.OK
	s.Error += o.Error
	s.Cancelled += o.Cancelled
	s.Incomplete += o.Incomplete
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
	return summarise(len(results), func() func(i int) seen {
		return func(i int) seen {
			r := &results[i]
			return seen{r.Question, f.around(r), IsCold(r)}
		}
	}, f)
}

// SummariseJudged sums up the questions of a judgement that f chooses. State and Backend of f choose nothing.
func SummariseJudged(t *diagnose.Table, j *diagnose.Judgement, f Filter) Summary {
	rows := j.Rows()
	slices.Sort(rows) // which lies better in memory
	f.State, f.Backend = Any, nil
	where := f
	where.Model = ""
	around := where.Rows(t)
	return summarise(len(rows), func() func(i int) seen {
		questions := t.NewCursor()
		return func(i int) seen {
			return seen{questions.At(rows[i]), around == nil || around(rows[i]), j.IsCold(rows[i])}
		}
	}, f)
}

// A seen is a question that may count.
type seen struct {
	question *diagnose.Question
	around   bool // the filter chooses it, but for the model
	cold     bool
}

// summarise sums up n questions, of which each of some goroutines sees some by a function of its own.
func summarise(n int, open func() func(i int) seen, f Filter) Summary {
	sums := make([]sum, min(workers, max(n, 1)))
	var sharing sync.WaitGroup
	for w := range sums {
		sharing.Go(func() {
			s := &sums[w]
			s.groups = make(map[Backend]*values)
			see := open()
			for i := w * n / len(sums); i < (w+1)*n/len(sums); i++ {
				s.add(see(i), f)
			}
		})
	}
	sharing.Wait()
	all := &sums[0]
	for i := range sums[1:] {
		all.join(&sums[1+i])
	}
	all.Throughput.spend(all.under)
	for _, v := range all.groups {
		v.Rows = v.rows()
		all.Groups = append(all.Groups, v.Group)
	}
	slices.SortFunc(all.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Statuses.All(), a.Statuses.All()), cmp.Compare(a.Backend.Provider, b.Backend.Provider),
			cmp.Compare(a.Backend.Model, b.Backend.Model))
	})
	return all.Summary
}

// workers is how many goroutines share the work on many questions.
const workers = 2

// A sum is a summary in the making.
type sum struct {
	Summary
	groups map[Backend]*values
	last   *values // that was asked for
	under  []interval
}

// values are what the rows of a group are made of: those of each metric.
type values struct {
	Group
	warm, cold []list
}

// A list is many values, in pieces that do not move when more come.
type list struct {
	pieces [][]float64
	n      int
}

const (
	firstPiece = 16
	mostPiece  = 4096
)

func (l *list) add(x float64) {
	last := len(l.pieces) - 1
	if last < 0 || len(l.pieces[last]) == cap(l.pieces[last]) {
		l.pieces = append(l.pieces, make([]float64, 0, min(max(l.n, firstPiece), mostPiece)))
		last++
	}
	l.pieces[last] = append(l.pieces[last], x)
	l.n++
}

func (l *list) join(o list) {
	l.pieces = append(l.pieces, o.pieces...)
	l.n += o.n
}

func (l *list) appendTo(values []float64) []float64 {
	for _, piece := range l.pieces {
		values = append(values, piece...)
	}
	return values
}

func (s *sum) group(b Backend) *values {
	if s.last != nil && s.last.Backend == b {
		return s.last
	}
	v := s.groups[b]
	if v == nil {
		v = &values{Group: Group{Backend: b}, warm: make([]list, len(Metrics)), cold: make([]list, len(Metrics))}
		s.groups[b] = v
	}
	s.last = v
	return v
}

// add adds a question, and the calls of it that the filter chooses.
func (s *sum) add(a seen, f Filter) {
	if !a.around {
		return
	}
	q := a.question
	compared := q.Timed() && q.Status == diagnose.StatusOK
	if b := Answering(q); f.backend(b) {
		v := s.group(b)
		s.Statuses.add(q.Status)
		v.Statuses.add(q.Status)
		switch {
		case q.Status != diagnose.StatusOK:
		case a.cold:
			v.Cold++
		default:
			v.Warm++
		}
		if q.Timed() {
			s.under = append(s.under, interval{q.Start, q.End})
			if compared {
				s.Throughput.Answered++
			}
			for i := range q.Calls {
				s.Throughput.add(&q.Calls[i])
			}
		}
		if compared {
			lists := v.lists(a.cold)
			for m, metric := range Metrics {
				if metric.ofQuestion == nil {
					continue
				}
				if x, ok := metric.ofQuestion(q); ok {
					lists[m].add(x)
				}
			}
		}
	}
	for i := range q.Calls {
		c := &q.Calls[i]
		b := backendOf(c)
		if !f.backend(b) {
			continue
		}
		v := s.group(b)
		v.Calls++
		if c.Failed {
			v.FailedCalls++
			continue
		}
		if !compared {
			continue
		}
		lists := v.lists(a.cold)
		for m, metric := range Metrics {
			if metric.ofCall == nil {
				continue
			}
			if x, ok := metric.ofCall(c); ok {
				lists[m].add(x)
			}
		}
	}
}

func (v *values) lists(cold bool) []list {
	if cold {
		return v.cold
	}
	return v.warm
}

// join adds what another sum has.
func (s *sum) join(o *sum) {
	s.Statuses.join(o.Statuses)
	s.Throughput.join(&o.Throughput)
	s.under = append(s.under, o.under...)
	for b, from := range o.groups {
		v := s.group(b)
		v.Statuses.join(from.Statuses)
		v.Warm += from.Warm
		v.Cold += from.Cold
		v.Calls += from.Calls
		v.FailedCalls += from.FailedCalls
		for m := range Metrics {
			v.warm[m].join(from.warm[m])
			v.cold[m].join(from.cold[m])
		}
	}
}

func (v *values) rows() []Row {
	rows := make([]Row, len(Metrics))
	var sharing sync.WaitGroup
	for w := range workers {
		sharing.Go(func() {
			var all []float64
			for m := w; m < len(Metrics); m += workers {
				all = v.cold[m].appendTo(v.warm[m].appendTo(all[:0]))
				if slices.ContainsFunc(all, func(x float64) bool { return x != 0 || !Metrics[m].Part }) {
					warm, cold := all[:v.warm[m].n], all[v.warm[m].n:] // each is put into another order, and then both
					rows[m] = Row{Metric: Metrics[m], Warm: distOf(warm), Cold: distOf(cold), All: distOf(all)}
				}
			}
		})
	}
	sharing.Wait()
	return slices.DeleteFunc(rows, func(r Row) bool { return r.Metric == nil })
}
