package stats

import (
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A State is whether a question had something to load or to set up.
type State uint8

// The states.
const (
	Any  State = iota
	Warm       // nothing was cold
	Cold       // something was, however little it cost
)

// A Backend is what answers: a provider or server, and a model. Either may be "", unknown.
type Backend struct{ Provider, Model string }

// A Filter chooses questions and LLM calls. Its zero value chooses all.
type Filter struct {
	Session string // "" for any
	Service string // of the root; "" for any
	Model   string // of a call; of a question the answering model; "" for any
	Number  int    // in the session; 0 for any
	State   State
	// Backend is exact; nil for any.
	Backend *Backend
}

// Question reports whether f chooses the question, whatever its status.
func (f *Filter) Question(r *diagnose.Result) bool {
	return f.around(r) && f.backend(Answering(r.Question))
}

// Rows tells which questions of a table f chooses; nil is all. State and Backend choose nothing there.
func (f *Filter) Rows(t *diagnose.Table) func(row int) bool {
	var asked []func(row int) bool
	if f.Session != "" {
		asked = append(asked, t.SessionIs(f.Session))
	}
	if f.Service != "" {
		asked = append(asked, t.ServiceIs(f.Service))
	}
	if f.Number != 0 {
		asked = append(asked, func(row int) bool { return t.Number(row) == f.Number })
	}
	if f.Model != "" {
		asked = append(asked, t.AnsweredByModel(f.Model))
	}
	switch len(asked) {
	case 0:
		return nil
	case 1:
		return asked[0]
	}
	return func(row int) bool {
		for _, is := range asked {
			if !is(row) {
				return false
			}
		}
		return true
	}
}

// around is everything but the model, in which a call may differ from its question.
func (f *Filter) around(r *diagnose.Result) bool {
	switch {
	case f.Session != "" && r.Session != f.Session,
		f.Service != "" && r.Question.Service != f.Service,
		f.Number != 0 && r.Number != f.Number:
		return false
	}
	return f.State == Any || (f.State == Cold) == IsCold(r)
}

func (f *Filter) backend(b Backend) bool {
	return (f.Model == "" || f.Model == b.Model) && (f.Backend == nil || *f.Backend == b)
}

// IsCold reports whether anything was cold.
func IsCold(r *diagnose.Result) bool { return len(r.Cold) > 0 }

// Answering is the backend of the last call that did not fail, which is the one that answers.
func Answering(q *diagnose.Question) Backend {
	for i := len(q.Calls) - 1; i >= 0; i-- {
		if c := &q.Calls[i]; !c.Failed {
			return backendOf(c)
		}
	}
	if n := len(q.Calls); n > 0 {
		return backendOf(&q.Calls[n-1])
	}
	return Backend{}
}

func backendOf(c *diagnose.Call) Backend { return Backend{c.Provider, c.Model} }

// A Value is a metric of one question, or of one of its calls.
type Value struct {
	Of *diagnose.Result
	V  float64
}

// Sample is the values of a metric over the ok questions that f chooses, in their order. Failed calls give none.
func Sample(m *Metric, f Filter, results []diagnose.Result) []Value {
	var values []Value
	for i := range results {
		r := &results[i]
		if !Compared(r) || !f.around(r) {
			continue
		}
		q := r.Question
		if m.ofQuestion != nil {
			if f.backend(Answering(q)) {
				if v, ok := m.ofQuestion(q); ok {
					values = append(values, Value{r, v})
				}
			}
			continue
		}
		for i := range q.Calls {
			c := &q.Calls[i]
			if c.Failed || !f.backend(backendOf(c)) {
				continue
			}
			if v, ok := m.ofCall(c); ok {
				values = append(values, Value{r, v})
			}
		}
	}
	return values
}

// Compared reports whether a question's times count: it ended well and they are known.
func Compared(r *diagnose.Result) bool { return r.Timed && r.Status == diagnose.StatusOK }

// numbers are the values alone.
func numbers(values []Value) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = v.V
	}
	return list
}
