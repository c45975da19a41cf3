package stages

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stream is answer with tokens at 41, 61 and 81 ms and the finish at 101, all by the client's clock.
func stream(change func(f *Facts)) *Facts {
	return answer(func(f *Facts) {
		f.Marks.Done, f.Streamed = Timing{}, true
		f.Token(41*ms, false)
		f.Token(61*ms, true)
		f.Token(81*ms, true)
		f.Finish(101 * ms)
		change(f)
	})
}

func TestMetricsOfAStream(t *testing.T) {
	f := stream(func(f *Facts) {
		f.Total, f.Load, f.Prefill, f.Decode = reported(99), reported(4), reported(30), reported(60)
		f.ServerFirstToDone, f.ServerAnswerToDone = reported(60), reported(40)
		f.InputTokens, f.CachedTokens, f.OutputTokens = Count{130, Reported}, Count{100, Reported}, Count{4, Reported}
	})
	m := f.Metrics()
	// Server from 1 to 100 ms; its first token 60 ms before the end, at 40, the answer's at 60.
	want := Metrics{
		TTFT: at(41), TTFA: at(61), E2E: at(101),
		TTFTServer: Timing{39 * ms, Derived}, TTFAServer: Timing{59 * ms, Derived},
		TPOT: Timing{59 * ms / 3, Derived}, TPOTServer: Timing{20 * ms, Derived},
		ITLP50: at(20), ITLP95: at(20), ITLMax: at(20), ITLMean: at(20),
		Queue: Timing{5 * ms, Derived}, DecodeResidual: Timing{0, Derived},
		ServerStart: Timing{1 * ms, Derived}, ServerEnd: Timing{100 * ms, Derived},
		PrefillRate: Rate{1000, Derived}, DecodeRate: Rate{50, Derived}, // 30 tokens in 30 ms, 3 steps in 60
		Tokens: Count{4, Reported},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMetricsThatAreNotDefined(t *testing.T) {
	for _, tt := range []struct {
		name  string
		facts *Facts
		check func(m Metrics) bool
	}{
		{"TPOT of one token", stream(func(f *Facts) { f.OutputTokens, f.Decode = Count{1, Reported}, reported(20) }),
			func(m Metrics) bool { return !m.TPOT.Known() && !m.TPOTServer.Known() && !m.DecodeRate.Known() }},
		{"server TPOT of tokens decoded in no time", stream(func(f *Facts) { f.OutputTokens, f.Decode = Count{4, Reported}, reported(0) }),
			func(m Metrics) bool { return !m.TPOTServer.Known() && !m.DecodeRate.Known() }},
		{"TPOT of a cancelled answer", stream(func(f *Facts) { f.Status = StatusCancelled }),
			func(m Metrics) bool { return !m.TPOT.Known() && m.TTFT.Known() && m.E2E == at(102) }},
		{"prefill rate without the cached count", stream(func(f *Facts) { f.Prefill, f.InputTokens = reported(30), Count{130, Reported} }),
			func(m Metrics) bool { return !m.PrefillRate.Known() }},
		{"TTFT of a plain body", answer(func(f *Facts) { f.Total, f.Prefill, f.Decode = reported(98), reported(30), reported(60) }),
			func(m Metrics) bool { return !m.TTFT.Known() && m.TTFTEstimate == Timing{38 * ms, Derived} }},
		{"tokens of a plain body without a count", answer(func(f *Facts) { f.TokenEvents = 1 }),
			func(m Metrics) bool { return !m.Tokens.Known() }},
		{"server TPOT over counted events", stream(func(f *Facts) { f.Decode = reported(60) }),
			func(m Metrics) bool { return !m.TPOTServer.Known() && m.Tokens == Count{3, Measured} }},
		{"nothing at all", &Facts{}, func(m Metrics) bool { return m == Metrics{} }},
	} {
		if m := tt.facts.Metrics(); !tt.check(m) {
			t.Errorf("%s: %+v", tt.name, m)
		}
	}
}

func TestSettleFlags(t *testing.T) {
	burst := func(f *Facts) {
		f.Marks = Marks{WroteHeaders: at(1), Head: at(1740), End: at(1741)}
		f.TokenEvents, f.Gaps, f.Streamed = 0, nil, true
		for range 12 {
			f.Token(1740*ms, true)
		}
		f.Finish(1741 * ms)
	}
	for _, tt := range []struct {
		name  string
		facts *Facts
		want  []string
	}{
		{"an even stream", stream(func(f *Facts) { f.Decode = reported(60) }), nil},
		{"a stream that came at once, no server evidence", answer(burst), []string{FlagBufferedStream}},
		{"the same, and the server took as long as the arrivals", answer(func(f *Facts) { burst(f); f.ServerFirstToDone = reported(2) }), nil},
		{"the same, and the server took longer", answer(func(f *Facts) { burst(f); f.Decode, f.Prefill = reported(800), reported(10) }),
			[]string{FlagBufferedStream}},
		{"longer by its stamps, though by less than 20 ms", answer(func(f *Facts) { burst(f); f.ServerFirstToDone = reported(20) }), nil},
		{"a tool call held until it was complete", answer(func(f *Facts) {
			f.Marks.Done, f.Streamed = Timing{}, true
			f.Token(100*ms, true)
			f.Finish(101 * ms)
			f.Total, f.Prefill, f.Decode = reported(100), reported(10), reported(90)
		}), nil},
		{"milliseconds for nanoseconds", stream(func(f *Facts) {
			f.OutputTokens, f.Total, f.Decode = Count{100, Reported}, Timing{4000, Reported}, Timing{3000, Reported}
		}), []string{FlagSuspectUnits}},
		{"two tokens of one step", stream(func(f *Facts) { f.OutputTokens, f.Decode = Count{2, Reported}, reported(0) }), nil},
	} {
		tt.facts.Settle()
		if diff := cmp.Diff(tt.want, tt.facts.Flags); diff != "" {
			t.Errorf("%s: flags (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestAfterTheFinish(t *testing.T) {
	f := stream(func(f *Facts) { f.Token(150*ms, true) })
	if f.TokenEvents != 3 || f.Marks.LastToken != at(81) || !f.Flagged(FlagAfterDone) {
		t.Errorf("%d token events, last at %v, flags %v", f.TokenEvents, f.Marks.LastToken.D, f.Flags)
	}
	g := stream(func(f *Facts) { f.Finish(150 * ms) })
	if g.Marks.Done != at(101) || !g.Flagged(FlagAfterDone) {
		t.Errorf("done at %v, flags %v", g.Marks.Done.D, g.Flags)
	}
}

// TestBenchMetrics works an OpenAI stream out by hand as benchmarks/serve.py does: role at 10, tokens at 30 and 50, the
// finish at 80 ms, the usage after that.
func TestBenchMetrics(t *testing.T) {
	f := &Facts{Status: StatusOK, OutputTokens: Count{3, Reported}}
	for _, millis := range []float64{10, 30, 50, 80} {
		f.ChoiceEvents.Add(at(millis).D)
	}
	b := f.BenchMetrics()
	if b.TTFT != at(10) || b.E2EL != at(80) || b.TPOT.D != 35*ms || b.ITL.N() != 3 || b.ITL.Max() != 30*ms {
		t.Errorf("TTFT %v, E2EL %v, TPOT %v, %d gaps up to %v", b.TTFT.D, b.E2EL.D, b.TPOT.D, b.ITL.N(), b.ITL.Max())
	}
	f.OutputTokens.N = 1
	if f.BenchMetrics().TPOT.Known() {
		t.Error("one token has a TPOT")
	}
	f.Status = StatusError
	if f.BenchMetrics() != (BenchMetrics{}) {
		t.Error("a failed request has figures")
	}
}

func TestCountReport(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		ok   bool
		want Count
	}{
		{0, true, Count{0, Reported}},
		{5, true, Count{5, Reported}},
		{-1, true, Count{3, Measured}},
		{5, false, Count{3, Measured}},
	} {
		c := Count{3, Measured}
		if c.Report(tt.n, tt.ok); c != tt.want {
			t.Errorf("3, then %d (%v): %+v, want %+v", tt.n, tt.ok, c, tt.want)
		}
	}
}

func TestReportedLimits(t *testing.T) {
	for _, ns := range []int64{0, -1, -1 << 63, 1<<63 - 1, int64(25 * time.Hour)} {
		if _, bad := ReportedNanos(ns); !bad {
			t.Errorf("%d ns passes for a duration", ns)
		}
	}
	if d, bad := ReportedMillis(0); bad || !d.Known() {
		t.Error("0 ms is absent; whole milliseconds round down to it")
	}
	if d, bad := ReportedSeconds(0.004321); bad || d.D != 4321*time.Microsecond {
		t.Errorf("0.004321 s is %v", d.D)
	}
}
