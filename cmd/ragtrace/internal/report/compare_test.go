package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

func rowOf(t *testing.T, name string, a, b time.Duration, share float64) stats.Difference {
	d := stats.Difference{Metric: metric(t, name), A: float64(a), B: float64(b), NA: 1, NB: 1}
	if share != 0 {
		d.Share = &share
	}
	return d
}

func compareText(t *testing.T, c stats.Comparison) string {
	t.Helper()
	var b strings.Builder
	if err := Compare(Screen{Writer: &b, Unicode: true}, "Question 1 of session a", "the others", c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompareTwoQuestions(t *testing.T) {
	c := stats.Comparison{A: stats.Side{Questions: 1, Cold: 1}, B: stats.Side{Questions: 1}, E2E: rowOf(t, "e2e", 8120*ms, 1200*ms, 1)}
	c.Rows = []stats.Difference{
		c.E2E, rowOf(t, "inside", 6000*ms, 1100*ms, 0.708), rowOf(t, "llm.load", 5000*ms, 100*ms, 0.708), rowOf(t, "search", 2000*ms, 0, 0.289),
		rowOf(t, "prompt", 900*time.Microsecond, 0, 0.0001), rowOf(t, "prepare", 3*ms, 4*ms, -0.0001), rowOf(t, "tpot", 10*ms, 12*ms, 0),
	}
	want := `E2E is 8120 ms in A and 1200 ms in B: 6920 ms less, of which 4900 ms llm.load
(71 %) and 2000 ms search (29 %).

A  Question 1 of session a, cold
B  the others

metric          A        B  difference  share
E2E       8120 ms  1200 ms    -6920 ms
inside    6000 ms  1100 ms    -4900 ms   71 %
llm.load  5000 ms   100 ms    -4900 ms   71 %
search    2000 ms     0 ms    -2000 ms   29 %
prepare   3.00 ms  4.00 ms    +1.00 ms    0 %
TPOT      10.0 ms  12.0 ms    +2.00 ms
`
	if diff := cmp.Diff(want, compareText(t, c)); diff != "" {
		t.Error(diff)
	}
}

func TestCompareSaysWhatIsNoEvidence(t *testing.T) {
	e2e := rowOf(t, "e2e", 1200*ms, 1150*ms, 1)
	e2e.Interval = &stats.Interval{Low: float64(-120 * ms), High: float64(30 * ms)}
	load := rowOf(t, "llm.load", 30*ms, 10*ms, 0.4)
	load.Interval = &stats.Interval{Low: float64(-22 * ms), High: float64(-18 * ms)}
	c := stats.Comparison{A: stats.Side{Questions: 40, Cold: 2}, B: stats.Side{Questions: 38}, E2E: e2e, Rows: []stats.Difference{e2e, load, rowOf(t, "tpot", ms, ms, 0)}}
	got := compareText(t, c)
	for _, want := range []string{
		"No difference shown: E2E is 1200 ms in A and 1150 ms in B, and the 95 % interval\nof the difference, -120 ms to +30.0 ms, spans zero.\n",
		"A  Question 1 of session a: median of 40 questions, 2 of them cold\n",
		"metric          A        B  difference  share  95 % interval\n",
		"E2E       1200 ms  1150 ms    -50.0 ms         no difference shown\n",
		"llm.load  30.0 ms  10.0 ms    -20.0 ms   40 %  -22.0 ms to -18.0 ms\n",
		"TPOT      1.00 ms  1.00 ms        0 ms         too few values\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}

	e2e.Interval, c.A.Questions = nil, 4
	c.E2E, c.Rows = e2e, []stats.Difference{e2e}
	if got := compareText(t, c); !strings.Contains(got, "50.0 ms less.") || !strings.Contains(got, "With fewer than 5 questions on a side nothing is") {
		t.Error(got)
	}
	c.E2E = rowOf(t, "e2e", 3000*ms, 1000*ms, 1)
	c.Rows = []stats.Difference{c.E2E, rowOf(t, "inside", 3000*ms, 1000*ms, 1), rowOf(t, "llm.load", 900*ms, 0, 0.45), rowOf(t, "search", 600*ms, 0, 0.3),
		rowOf(t, "embed", 500*ms, 0, 0.25)}
	if got := strings.ReplaceAll(compareText(t, c), "\n", " "); !strings.Contains(got, "less, of which 900 ms llm.load (45 %), 600 ms search (30 %) and 500 ms embed (25 %).") {
		t.Error(got)
	}
	c.E2E = rowOf(t, "e2e", 1200*ms, 1200*ms, 0)
	if got := compareText(t, c); !strings.Contains(got, "E2E is 1200 ms in A and 1200 ms in B: no difference.") {
		t.Error(got)
	}
}
