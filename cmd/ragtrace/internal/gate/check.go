package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// An Outcome is whether an expression held.
type Outcome struct {
	Expr *Expr
	Pass bool
	// Value is what the expression worked out, in its unit; nil when there was nothing to work it out from, which fails.
	Value *float64
	N     int    // values that went into it
	Note  string // what a reader of the value must know; "" mostly
	// Offenders are the questions that break the limit by themselves, the worst first; empty when the expression holds.
	Offenders []Offender
}

// An Offender is a question that breaks a limit by itself.
type Offender struct {
	*diagnose.Result
	Value float64 // in the unit of the expression; of a count 1
	// Time is what the cold cost took; for other functions 0.
	Time float64
}

// Check works the expression out over the questions that base chooses and the expression's own arguments.
func (e *Expr) Check(results []diagnose.Result, base stats.Filter) Outcome {
	o := Outcome{Expr: e}
	f, possible := both(base, e.filter)
	if !possible {
		o.Note = "its arguments and the flags choose different questions"
		return o
	}
	switch e.function {
	case percentile, maximum:
		e.ofMetric(&o, results, f)
	case share:
		e.ofShare(&o, results, f)
	default:
		e.ofQuestions(&o, results, f)
	}
	o.Pass = o.Value != nil && e.holds(*o.Value)
	if o.Pass {
		o.Offenders = nil
	}
	slices.SortStableFunc(o.Offenders, func(a, b Offender) int {
		if strings.HasPrefix(e.operator, ">") {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(b.Time, a.Time))
	})
	return o
}

// both chooses what a and b choose; possible is false when they exclude each other.
func both(a, b stats.Filter) (f stats.Filter, possible bool) {
	f, possible = a, true
	for _, text := range []struct{ to, from *string }{
		{&f.Session, &b.Session}, {&f.Service, &b.Service}, {&f.Model, &b.Model},
	} {
		if *text.to != "" && *text.from != "" && *text.to != *text.from {
			possible = false
		}
		*text.to = cmp.Or(*text.to, *text.from)
	}
	if a.Number != 0 && b.Number != 0 && a.Number != b.Number {
		possible = false
	}
	f.Number, f.State = cmp.Or(a.Number, b.Number), cmp.Or(a.State, b.State)
	return f, possible
}

// ofMetric works out a percentile or the largest of a metric's values.
func (e *Expr) ofMetric(o *Outcome, results []diagnose.Result, f stats.Filter) {
	sample := stats.Sample(e.metric, f, results)
	e.reduce(o, sample)
	switch {
	case o.N == 0:
		o.Note = "no values" + otherRulers(e.metric, f, results)
	case e.function == percentile && e.percentile > 50 && float64(o.N)*(100-e.percentile) < 100:
		o.Note = fmt.Sprintf("of so few, p%.0f is hardly more than the largest", e.percentile)
	}
}

// reduce fills in the value and who breaks the limit.
func (e *Expr) reduce(o *Outcome, sample []stats.Value) {
	values := make([]float64, len(sample))
	worst := make(map[*diagnose.Result]int) // by question, its offender
	for i, v := range sample {
		values[i] = v.V
		if e.holds(v.V) {
			continue
		}
		if at, known := worst[v.Of]; known { // one line a question, however many calls it made
			o.Offenders[at].Value = max(o.Offenders[at].Value, v.V)
			continue
		}
		worst[v.Of] = len(o.Offenders)
		o.Offenders = append(o.Offenders, Offender{Result: v.Of, Value: v.V})
	}
	slices.Sort(values)
	p := e.percentile
	switch e.function {
	case maximum:
		p = 100
	case share:
		p = 50
	}
	o.N = len(values)
	if v, ok := stats.Percentile(values, p); ok {
		o.Value = &v
	}
}

// otherRulers tells where there are values, when a TTFT has none by the ruler that was asked for.
func otherRulers(m *stats.Metric, f stats.Filter, results []diagnose.Result) string {
	if !strings.HasPrefix(m.Name, "ttft") {
		return ""
	}
	var there []string
	for _, other := range stats.Metrics {
		if !strings.HasPrefix(other.Name, "ttft") {
			continue
		}
		if n := len(stats.Sample(other, f, results)); n > 0 {
			there = append(there, fmt.Sprintf("%s has %d", other.Name, n))
		}
	}
	if there == nil {
		return ""
	}
	return " by this ruler (" + strings.Join(there, ", ") + ")"
}

// ofShare works out the median share that a part has in a question's E2E.
func (e *Expr) ofShare(o *Outcome, results []diagnose.Result, f stats.Filter) {
	var shares []stats.Value
	for _, v := range stats.Sample(e.metric, f, results) {
		if whole := v.Of.Question.E2E(); whole > 0 {
			shares = append(shares, stats.Value{Of: v.Of, V: v.V / float64(whole)})
		}
	}
	if e.reduce(o, shares); o.N == 0 {
		o.Note = "no values"
	}
}

// ofQuestions counts questions, or the values of a metric.
func (e *Expr) ofQuestions(o *Outcome, results []diagnose.Result, f stats.Filter) {
	n, chosen := 0, 0
	if e.metric != nil {
		n = len(stats.Sample(e.metric, f, results))
		o.N = n
	} else {
		for i := range results {
			r := &results[i]
			if !f.Question(r) {
				continue
			}
			chosen++
			if e.function == cold && !r.Timed { // what was cold in it cannot be told
				continue
			}
			o.N++
			time, counts := e.counts(r)
			if !counts {
				continue
			}
			n++
			if e.function != count {
				o.Offenders = append(o.Offenders, Offender{Result: r, Value: 1, Time: time})
			}
		}
	}
	// None of no questions is no evidence that all is well. Only how many there are can be told of nothing.
	if o.N == 0 && e.function != count {
		o.Note = "no values: no question was chosen"
		if chosen > 0 {
			o.Note = "no values: no chosen question has times"
		}
		return
	}
	v := float64(n)
	o.Value = &v
	if v < e.limit { // too few of them: those that are there are not at fault
		o.Offenders = nil
	}
}

// counts reports whether the question is one that e counts, and what the cold cost took.
func (e *Expr) counts(r *diagnose.Result) (time float64, counts bool) {
	switch e.function {
	case count:
		return 0, r.Status == diagnose.StatusOK
	case failed:
		return 0, r.Status != diagnose.StatusOK && (e.status == "" || r.Status == e.status)
	}
	for _, c := range r.Cold {
		if e.cause == "" || e.cause == c.Cause {
			time += float64(c.Time)
			counts = true
		}
	}
	return time, counts
}
