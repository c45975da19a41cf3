package stats

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// row is the distribution of a metric in a group's rows.
func row(t *testing.T, g Group, name string) Row {
	t.Helper()
	for _, r := range g.Rows {
		if r.Metric.Name == name {
			return r
		}
	}
	t.Fatalf("%v: no row %s", g.Backend, name)
	return Row{}
}

func dist(n int, p50, p95 time.Duration) Dist { return Dist{n, float64(p50), float64(p95)} }

func TestSummaryKeepsWarmColdAndFailedApart(t *testing.T) {
	results := []diagnose.Result{
		asked(1, 0, 3000*ms, 100*ms, makeCold),
		asked(2, 10_000*ms, 1000*ms, 100*ms, nil),
		asked(3, 20_000*ms, 1200*ms, 100*ms, nil),
		asked(4, 30_000*ms, 60_000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.Status = diagnose.StatusCancelled }),
		asked(5, 95_000*ms, 10*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) {
			q.Status, q.Calls[0].Failed = diagnose.StatusError, true
		}),
		asked(6, 99_000*ms, 1*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) {
			q.Status, q.Start, q.End, q.Calls = diagnose.StatusIncomplete, 0, 0, nil
		}),
	}
	sum := Summarise(results, Filter{})
	if want := (Statuses{OK: 3, Error: 1, Cancelled: 1, Incomplete: 1}); sum.Statuses != want || want.All() != 6 || want.Failed() != 3 {
		t.Errorf("statuses %+v, want %+v", sum.Statuses, want)
	}
	if len(sum.Groups) != 2 || sum.Groups[1].Backend != (Backend{}) {
		t.Fatalf("groups %+v: want ollama m and one without a call", sum.Groups)
	}
	g := sum.Groups[0]
	if g.Backend != (Backend{"ollama", "m"}) || g.Warm != 2 || g.Cold != 1 || g.Calls != 5 || g.FailedCalls != 1 {
		t.Errorf("group %+v", g)
	}
	// 1100, 1300 and 3100: rank 1 is the middle, rank 1.9 lies nine tenths of the way from 1300 to 3100.
	e2e := row(t, g, "e2e")
	want := Row{E2E, dist(3, 1300*ms, 2920*ms), dist(2, 1200*ms, 1290*ms), dist(1, 3100*ms, 3100*ms)}
	if diff := cmp.Diff(want, e2e, cmp.Comparer(func(a, b *Metric) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if got := row(t, g, "search").All; got != dist(3, 100*ms, 100*ms) {
		t.Errorf("search %+v", got)
	}
	for _, r := range g.Rows {
		if r.Metric.Name == "rerank" || r.Metric.Name == "ttft" || r.Metric.Name == "chain" {
			t.Errorf("a row for %s, which nothing has", r.Metric.Name)
		}
	}
}

// TestRulersAreNeverMixed has a TTFT by each ruler.
func TestRulersAreNeverMixed(t *testing.T) {
	results := []diagnose.Result{
		asked(1, 0, 1000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.TTFT, q.TTFTRuler = 100*ms, diagnose.RulerUser }),
		asked(2, 0, 1000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.TTFT, q.TTFTRuler = 200*ms, diagnose.RulerClient }),
		asked(3, 0, 1000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.TTFT, q.TTFTRuler = 300*ms, diagnose.RulerServer }),
		asked(4, 0, 1000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.Calls[0].TTFT = ptr(400 * ms) }),
		asked(5, 0, 1000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.Calls[0].TTFTServer = ptr(500 * ms) }),
		asked(6, 0, 1000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.TTFT, q.TTFTRuler = 600*ms, diagnose.RulerByte }),
	}
	g := Summarise(results, Filter{}).Groups[0]
	for name, want := range map[string]time.Duration{
		"ttft": 100 * ms, "ttft.app": 200 * ms, "ttft.client": 400 * ms, "ttft.server": 500 * ms, "ttft.byte": 600 * ms,
	} {
		if got := row(t, g, name).All; got != dist(1, want, want) {
			t.Errorf("%s: %+v, want one of %v", name, got, want)
		}
	}
}

// TestCallsBelongToTheirOwnModel has an agent: two calls of a small model, then the answer of a large one.
func TestCallsBelongToTheirOwnModel(t *testing.T) {
	results := []diagnose.Result{asked(1, 0, 5000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) {
		q.Calls = []diagnose.Call{
			{Provider: "ollama", Model: "small", Start: q.Start, End: q.Start + int64(400*ms), Input: 10, Output: 5, Cached: -1},
			{Provider: "ollama", Model: "small", Start: q.Start + int64(500*ms), End: q.Start + int64(700*ms), Input: -1, Output: -1, Cached: -1},
			{Provider: "vllm", Model: "large", Start: q.Start + int64(800*ms), End: q.Start + int64(4800*ms), Input: 100, Output: 50, Cached: -1},
		}
	})}
	groups := Summarise(results, Filter{}).Groups
	if len(groups) != 2 || groups[0].Backend != (Backend{"vllm", "large"}) || groups[1].Backend != (Backend{"ollama", "small"}) {
		t.Fatalf("groups %+v", groups)
	}
	large, small := groups[0], groups[1]
	if large.Statuses.OK != 1 || small.Statuses.OK != 0 || large.Calls != 1 || small.Calls != 2 {
		t.Errorf("large %+v, small %+v", large, small)
	}
	if got := row(t, large, "chain").All; got != dist(1, 4800*ms, 4800*ms) {
		t.Errorf("chain %+v", got)
	}
	if got := row(t, small, "call").All; got != dist(2, 300*ms, 390*ms) {
		t.Errorf("calls of the small model %+v", got)
	}
	if got := Sample(E2E, Filter{Model: "small"}, results); len(got) != 0 {
		t.Errorf("the small model answered %v", got)
	}
	call, _ := Find("call")
	if got := Sample(call, Filter{Model: "small"}, results); len(got) != 2 {
		t.Errorf("calls of the small model: %v", got)
	}
	if got := Summarise(results, Filter{}).Throughput; got.InputTokens != 110 || got.OutputTokens != 55 || got.Calls != 3 || got.Untold != 1 {
		t.Errorf("throughput %+v", got)
	}
}

func TestThroughputCountsTheWholeTimeAndTheBusyOne(t *testing.T) {
	results := []diagnose.Result{
		asked(2, 1000*ms, 2000*ms, 0, nil),  // 1 to 3 s
		asked(1, 0, 2000*ms, 0, nil),        // 0 to 2 s
		asked(3, 10_000*ms, 500*ms, 0, nil), // 10 to 10.5 s
		asked(4, 10_100*ms, 900*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.Status = diagnose.StatusError }), // to 11 s
		asked(5, 10_200*ms, 100*ms, 0, nil), // within
	}
	got := Summarise(results, Filter{}).Throughput
	want := Throughput{Answered: 4, Span: 11 * time.Second, Busy: 4 * time.Second, InputTokens: 500, OutputTokens: 55, Calls: 5}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if rate, ok := PerSecond(55, got.Span); !ok || rate != 5 {
		t.Errorf("%v tokens a second, want 5", rate)
	}
	if _, ok := PerSecond(1, 0); ok {
		t.Error("a rate over no time")
	}
	if got := Summarise(nil, Filter{}); got.Throughput != (Throughput{}) || got.Groups != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestTokensAreAllOrUnknown has a question whose tokens were spent at an unknown time, and a call that tells half of its own.
func TestTokensAreAllOrUnknown(t *testing.T) {
	whole := asked(1, 0, 1000*ms, 0, nil)
	rootless := asked(2, 0, 1000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) {
		q.Status, q.Start, q.End = diagnose.StatusIncomplete, 0, 0
	})
	half := asked(3, 1000*ms, 1000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.Calls[0].Input = -1 })
	got := Summarise([]diagnose.Result{whole, rootless}, Filter{}).Throughput
	if all, output, ok := got.Tokens(); !ok || all != 111 || output != 11 || got.Span != time.Second {
		t.Errorf("%+v: %d tokens, %d of them output, %t", got, all, output, ok)
	}
	got = Summarise([]diagnose.Result{whole, half}, Filter{}).Throughput
	if _, _, ok := got.Tokens(); ok || got.Untold != 1 {
		t.Errorf("%+v: tokens are known", got)
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	if v, ok := m["total_tokens_per_s"]; !ok || v != nil || m["questions_per_s"] != 1.0 {
		t.Errorf("%s", data)
	}
}

func TestFilter(t *testing.T) {
	cold := asked(1, 0, ms, 0, makeCold)
	other := asked(2, 0, ms, 0, func(_ *diagnose.Result, q *diagnose.Question) {
		q.Session, q.Service, q.Calls = "b", "other", nil
	})
	for _, tt := range []struct {
		f           Filter
		cold, other bool
	}{
		{Filter{}, true, true},
		{Filter{Session: "a"}, true, false},
		{Filter{Service: "other"}, false, true},
		{Filter{Number: 2}, false, true},
		{Filter{State: Warm}, false, true},
		{Filter{State: Cold}, true, false},
		{Filter{Model: "m"}, true, false},
		{Filter{Backend: &Backend{}}, false, true},
		{Filter{Session: "a", Number: 2}, false, false},
	} {
		if tt.f.Question(&cold) != tt.cold || tt.f.Question(&other) != tt.other {
			t.Errorf("%+v chooses %t and %t", tt.f, tt.f.Question(&cold), tt.f.Question(&other))
		}
	}
}

func TestFindTakesDotsUnderscoresAndAnyCase(t *testing.T) {
	for name, want := range map[string]string{"TTFT": "ttft", "llm_load": "llm.load", "llm.load": "llm.load", "ITL.p95": "itl.p95", "gap_start": "gap.start"} {
		if m, ok := Find(name); !ok || m.Name != want {
			t.Errorf("%s is not found", name)
		}
	}
	if _, ok := Find("mean"); ok {
		t.Error("there is a mean")
	}
	seen := map[string]bool{}
	for _, name := range Names() {
		if seen[name] {
			t.Errorf("two metrics are called %s", name)
		}
		seen[name] = true
	}
	for c := diagnose.Component(0); c <= diagnose.Gap; c++ {
		if !seen[c.String()] {
			t.Errorf("no metric for %s", c)
		}
	}
}

func TestSummaryJSON(t *testing.T) {
	results := []diagnose.Result{
		asked(1, 0, 1000*ms, 0, func(_ *diagnose.Result, q *diagnose.Question) { q.Calls[0].TPOT = ptr(12_345_678 * time.Nanosecond) }),
	}
	data, err := json.Marshal(Summarise(results, Filter{}))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Percentile string
		Questions  map[string]int
		Throughput map[string]any
		Groups     []struct {
			Provider, Model string
			Metrics         []struct {
				Metric, Unit string
				All, Cold    map[string]any
			}
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Percentile != "linear interpolation" || got.Questions["ok"] != 1 || got.Throughput["total_tokens_per_s"] != 111.0 {
		t.Errorf("%s", data)
	}
	for _, m := range got.Groups[0].Metrics {
		if m.Metric == "tpot" {
			if diff := cmp.Diff(map[string]any{"n": 1.0, "p50": 12.346, "p95": 12.346, "p95_of_few": true}, m.All); diff != "" || m.Unit != "ms" {
				t.Error(diff)
			}
			if diff := cmp.Diff(map[string]any{"n": 0.0, "p50": nil, "p95": nil}, m.Cold); diff != "" {
				t.Error(diff)
			}
		}
	}
}
