package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTwentyRuns is the example that a mean gets wrong: eighteen questions of 1.2 s, and two of 30 s because nobody had
// asked for longer than keep_alive. Their mean, 4.08 s, is a time that no question took, and says of neither what to do.
func TestTwentyRuns(t *testing.T) {
	var askings []asking
	at := time.Duration(0)
	for n := 1; n <= 20; n++ {
		a := asking{session: "a", number: n, search: 100 * milli, decode: 1100 * milli, output: 111}
		at += 10 * time.Second
		if n == 8 || n == 15 {
			at += 390 * time.Second // idle for 400 s in all; the server keeps a model for 300
			a.load = 28_800 * milli
		}
		a.at = at
		at += a.search + a.load + a.decode
		askings = append(askings, a)
	}
	path := otlpFile(t, askings...)

	text, _ := run(t, exitOK, "slow", "--from", path)
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"2 of 20 questions stand out",
		"Question 8 of session a took 30.0 s, 28.8 s more than the median of the other 19: 28.8 s model load after keep_alive of 300 s, idle for 400 s (inside the LLM).",
		"Question 15 of session a took 30.0 s, 28.8 s more than the median of the other 19: 28.8 s model load after keep_alive of 300 s, idle for 400 s (inside the LLM).",
		"it was 300 s, question 8 of session a came after 400 s idle; 10m would have kept it",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("slow does not say %q:\n%s", want, text)
		}
	}
	js, _ := run(t, exitOK, "slow", "--from", path, "--json")
	var a answer
	if err := json.Unmarshal([]byte(js), &a); err != nil {
		t.Fatal(err)
	}
	var slow []int
	for _, s := range a.Slow {
		slow = append(slow, s.Number)
		if !slices.Equal(s.Causes, []string{"keep_alive_expired"}) {
			t.Errorf("number %d: causes %v", s.Number, s.Causes)
		}
	}
	if slices.Sort(slow); !slices.Equal(slow, []int{8, 15}) {
		t.Errorf("slow are %v, want 8 and 15", slow)
	}

	table, _ := run(t, exitOK, "stats", "--from", path)
	js, _ = run(t, exitOK, "stats", "--from", path, "--json")
	var sum summary
	if err := json.Unmarshal([]byte(js), &sum); err != nil {
		t.Fatal(err)
	}
	e2e := sum.metric(t, "e2e")
	if e2e.All != (figures{20, 1200, 30_000}) || e2e.Warm != (figures{18, 1200, 1200}) || e2e.Cold != (figures{2, 30_000, 30_000}) {
		t.Errorf("E2E %+v", e2e)
	}
	for _, output := range []string{text, table, js} {
		for _, mean := range []string{"4.1 s", "4.08 s", "4080"} {
			if strings.Contains(output, mean) {
				t.Errorf("the mean %q stands in\n%s", mean, output)
			}
		}
	}

	out, _ := run(t, exitFailed, "check", "--from", path, "p50(e2e) < 2s", "p95(e2e) < 2s", "p95(e2e, warm) < 2s", "cold(llm_load) == 0")
	for _, want := range []string{"pass  p50(e2e) < 2s", "FAIL  p95(e2e) < 2s", "pass  p95(e2e, warm) < 2s", "FAIL  cold(llm_load) == 0", " a/8  28.8 s\n", " a/15  28.8 s\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("check does not say %q:\n%s", want, out)
		}
	}
}

// A summary is the JSON of stats, as its readers know it.
type summary struct {
	Questions struct {
		OK, Error, Cancelled, Incomplete int
	} `json:"questions"`
	Groups []struct {
		Provider, Model string
		Metrics         []metricRow
	} `json:"groups"`
}

type metricRow struct {
	Metric, Unit    string
	All, Warm, Cold figures
}

type figures struct {
	N        int
	P50, P95 float64
}

// metric is a row of the first group.
func (s *summary) metric(t *testing.T, name string) metricRow {
	t.Helper()
	for _, m := range s.Groups[0].Metrics {
		if m.Metric == name {
			return m
		}
	}
	t.Fatalf("no metric %s in %+v", name, s)
	return metricRow{}
}
