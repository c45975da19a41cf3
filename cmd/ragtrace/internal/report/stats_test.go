package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

func metric(t *testing.T, name string) *stats.Metric {
	t.Helper()
	m, ok := stats.Find(name)
	if !ok {
		t.Fatalf("no metric %s", name)
	}
	return m
}

func values(n int, p50, p95 time.Duration) stats.Dist {
	return stats.Dist{N: n, P50: float64(p50), P95: float64(p95)}
}

// TestStats shows eighteen questions of 1.2 s and two of 30 s: nowhere stands their mean of 4.1 s.
func TestStats(t *testing.T) {
	sum := stats.Summary{
		Statuses:   stats.Statuses{OK: 20, Error: 1, Cancelled: 2},
		Throughput: stats.Throughput{Answered: 20, Span: 1000 * time.Second, Busy: 80 * time.Second, InputTokens: 6000, OutputTokens: 2000, Calls: 22},
		Groups: []stats.Group{{
			Backend: stats.Backend{Provider: "ollama", Model: "質問:7b"}, Statuses: stats.Statuses{OK: 20, Error: 1}, Warm: 18, Cold: 2, Calls: 22, FailedCalls: 1,
			Rows: []stats.Row{
				{Metric: stats.E2E, All: values(20, 1200*ms, 30*time.Second), Warm: values(18, 1200*ms, 1200*ms), Cold: values(2, 30*time.Second, 30*time.Second)},
				{Metric: metric(t, "tokens.output"), All: stats.Dist{N: 20, P50: 100.5, P95: 210}, Warm: stats.Dist{N: 20, P50: 100, P95: 210}},
			},
		}, {
			Backend: stats.Backend{Provider: "vllm"}, Statuses: stats.Statuses{Cancelled: 2}, Calls: 1,
		}},
	}
	want := `20 questions answered; not in the percentiles: 1 error, 2 cancelled.
First start to last end 1000 s: 0.0200 questions/s, 8.00 tokens/s (of them 2.00
output).
Busy for 80.0 s of it: 0.250 questions/s, 100 tokens/s (of them 25.0 output).

ollama 質問:7b
20 questions answered (18 warm, 2 with a cold cost), 1 error; 22 LLM calls, 1
failed
metric          p50     p95   warm      p50      p95   cold     p50      p95
E2E         1200 ms  30.0 s     18  1200 ms  1200 ms*     2  30.0 s  30.0 s*
tokens out      101     210     20      100      210      0       -        -

vllm, model unknown
0 questions answered, 2 cancelled; 1 LLM call

Percentiles by linear interpolation between the nearest ranks, as numpy and vllm
bench work them out; of questions that ended well, and of LLM calls that did not
fail. Cold: the question has a cold cost (ragtrace slow names it).
* of fewer than 20 values: hardly more than the largest of them
  E2E: Enter to the last byte of the answer
`
	var b strings.Builder
	if err := Stats(Screen{Writer: &b, Unicode: true}, sum); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if err := Stats(Screen{Writer: fullDisk{}}, sum); err == nil {
		t.Error("a write error is lost")
	}
}

// TestRatesAreOnlyThoseKnown has a call that tells no tokens, then no call, then no time.
func TestRatesAreOnlyThoseKnown(t *testing.T) {
	for _, tt := range []struct {
		t    stats.Throughput
		want []string
	}{
		{stats.Throughput{Answered: 5, Span: 10 * time.Second, Busy: 10 * time.Second, InputTokens: 600, OutputTokens: 20, Calls: 5, Untold: 1},
			[]string{"First start to last end 10.0 s: 0.500 questions/s.", "Tokens/s are unknown: 1 of 5 LLM calls do not tell theirs."}},
		{stats.Throughput{Answered: 5, Span: 10 * time.Second, Busy: 10 * time.Second},
			[]string{"First start to last end 10.0 s: 0.500 questions/s."}},
		{stats.Throughput{}, nil},
	} {
		if diff := cmp.Diff(tt.want, rates(tt.t)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.t, diff)
		}
	}
}

// TestStatsFitTheScreen has the widest figures that there are on every side.
func TestStatsFitTheScreen(t *testing.T) {
	widest := values(9999, 9990*ms, 9990*ms)
	few := values(19, 9990*ms, 9990*ms)
	g := stats.Group{Warm: 1, Cold: 1}
	for _, m := range stats.Metrics {
		r := stats.Row{Metric: m, All: widest, Warm: widest, Cold: few}
		if m.Unit == stats.Tokens {
			tokens := stats.Dist{N: 9999, P50: 999_999, P95: 999_999}
			r.All, r.Warm, r.Cold = tokens, tokens, tokens
		}
		g.Rows = append(g.Rows, r)
	}
	for line := range strings.Lines(groupTable(g).draw(plain)) {
		if width := runewidth.StringWidth(strings.TrimRight(line, "\n")); width > 80 {
			t.Fatalf("%d columns: %s", width, line)
		}
	}
}

func TestRate(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.0115: "0.0115", 0.5: "0.500", 1: "1.00", 12.34: "12.3", 123.4: "123", 12345: "12345", 0.00001234: "0.0000123"} {
		if got := rate(v); got != want {
			t.Errorf("rate(%v) = %q, want %q", v, got, want)
		}
	}
}
