package report

import (
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
		medians, occurs = append(medians, diagnose.Median(values)), append(occurs, some)
	}
	return medians, occurs
}
