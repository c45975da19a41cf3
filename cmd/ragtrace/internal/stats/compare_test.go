package stats

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

func difference(t *testing.T, c Comparison, name string) Difference {
	t.Helper()
	for _, d := range c.Rows {
		if d.Metric.Name == name {
			return d
		}
	}
	t.Fatalf("no row %s", name)
	return Difference{}
}

// TestCompareTwoQuestions: 1000 ms decode and 100 ms search against 400 and 300: 400 ms less, of it -600 decode, +200 search.
func TestCompareTwoQuestions(t *testing.T) {
	a, b := asked(1, 0, 1000*ms, 100*ms, makeCold), asked(2, 0, 400*ms, 300*ms, nil)
	c := Compare([]diagnose.Result{a}, []diagnose.Result{b}, Filter{}, Filter{})
	if c.A != (Side{1, 1}) || c.B != (Side{1, 0}) {
		t.Errorf("sides %+v %+v", c.A, c.B)
	}
	for _, tt := range []struct {
		name  string
		by    time.Duration
		share float64
	}{{"e2e", -400 * ms, 1}, {"inside", -600 * ms, 1.5}, {"outside", 200 * ms, -0.5}, {"llm.decode", -600 * ms, 1.5}, {"search", 200 * ms, -0.5}} {
		d := difference(t, c, tt.name)
		if d.By() != float64(tt.by) || d.Interval != nil {
			t.Errorf("%s: by %v, interval %v", tt.name, d.By(), d.Interval)
		}
		if tt.name != "e2e" && math.Abs(*d.Share-tt.share) > 1e-12 {
			t.Errorf("%s: share %v, want %v", tt.name, *d.Share, tt.share)
		}
	}
	var order []string
	for _, d := range c.Rows {
		order = append(order, d.Metric.Name)
	}
	if got := strings.Join(order, " "); !strings.HasPrefix(got, "e2e inside outside llm.decode search ") {
		t.Errorf("rows %s", got)
	}
}

func TestCompareOfManyHasIntervals(t *testing.T) {
	side := func(decode time.Duration) (results []diagnose.Result) {
		for i := range 9 {
			results = append(results, asked(i+1, 0, decode+time.Duration(i)*10*ms, 50*ms+time.Duration(i)*ms, nil))
		}
		return append(results, asked(10, 0, time.Hour, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.Status = diagnose.StatusError }))
	}
	c := Compare(side(1000*ms), side(1500*ms), Filter{}, Filter{})
	if c.A.Questions != 9 || c.E2E.By() != float64(500*ms) || c.E2E.Interval == nil || c.E2E.Interval.SpansZero() {
		t.Errorf("%+v, E2E %+v", c.A, c.E2E)
	}
	search := difference(t, c, "search")
	if search.Interval == nil || !search.Interval.SpansZero() {
		t.Errorf("search did not change: %+v", search.Interval)
	}
	if first := Compare(side(1000*ms), side(1500*ms), Filter{Number: 1}, Filter{Number: 1}); first.A.Questions != 1 || first.E2E.Interval != nil {
		t.Errorf("number 1 alone: %+v", first.A)
	}
	data, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(data), `"metric":"e2e","unit":"ms","a":1094,"b":1594,"n_a":9,"n_b":9,"difference":500,"share":null`) {
		t.Errorf("%v %s", err, data)
	}
}

func TestCompareWithNothing(t *testing.T) {
	c := Compare(nil, []diagnose.Result{asked(1, 0, ms, 0, nil)}, Filter{}, Filter{})
	if len(c.Rows) != 0 || c.A.Questions != 0 {
		t.Errorf("%+v", c)
	}
	if data, err := json.Marshal(c); err != nil || !strings.Contains(string(data), `"metrics":[]`) {
		t.Errorf("%v %s", err, data)
	}
	// Less than a millisecond in all has no shares.
	same := asked(1, 0, 100*ms, 0, nil)
	if d := difference(t, Compare([]diagnose.Result{same}, []diagnose.Result{same}, Filter{}, Filter{}), "llm.decode"); d.Share != nil {
		t.Errorf("share %v of no difference", *d.Share)
	}
}
