package report

import (
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// usual is, for each component, the median over the other ok questions of q's service and pipeline, and whether any of
// them has it. A component that does not occur counts as 0.
func usual(questions []diagnose.Question, q *diagnose.Question) (medians []time.Duration, occurs []bool) {
	var others []*diagnose.Question
	for i := range questions {
		o := &questions[i]
		if o != q && o.Status == diagnose.StatusOK && o.Service == q.Service && o.Pipeline == q.Pipeline {
			others = append(others, o)
		}
	}
	values := make([]time.Duration, len(others))
	for c := range q.Components {
		some := false
		for i, o := range others {
			values[i] = o.Components[c]
			some = some || values[i] != 0 || o.Has(diagnose.Component(c))
		}
		medians, occurs = append(medians, median(values)), append(occurs, some)
	}
	return medians, occurs
}

// median sorts values in place. Of an even number it is the mean of the middle two, of none 0.
func median(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	half := len(values) / 2
	if len(values)%2 == 1 {
		return values[half]
	}
	return (values[half-1] + values[half]) / 2
}
