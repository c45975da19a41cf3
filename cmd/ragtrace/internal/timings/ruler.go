package timings

import (
	"fmt"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
)

// first adds the times to the first token, each on its ruler.
func (l *lines) first() {
	f := l.r.Facts
	switch {
	case l.TTFT.Known() && l.r.unknown():
		what := "to the first byte of the answer"
		if l.r.events {
			what = "to the first event with data"
		}
		l.time("TTFT", l.TTFT, what)
	case l.TTFT.Known():
		l.time("TTFT", l.TTFT, "to the first token")
	case l.approx.Known():
		l.add("TTFT", "~"+report.Duration(l.approx.D), l.approximately())
	case f.Stage == stages.LLM && !f.Streamed && l.r.OK() && (len(f.Other) > 0 || f.Flagged(stages.FlagSuspectUnits)):
		l.add("TTFT", "unknown", "the answer came in one piece")
	case f.Stage == stages.LLM && !f.Streamed && l.r.OK():
		l.add("TTFT", "unknown", "the answer came in one piece, and the server reports no prefill")
	case f.Stage == stages.LLM && f.Streamed && l.r.Clock == ServerClock:
		l.add("TTFT", "unknown", "on a client's clock: nobody noted when the bytes came")
	}
	if l.TTFA.Known() && l.TTFA != l.TTFT {
		l.time("TTFA", l.TTFA, "to the first token of the answer itself")
	}
	l.time("TTFT server", l.TTFTServer, "by the server's stamps, from its start of work")
	if l.TTFAServer != l.TTFTServer {
		l.time("TTFA server", l.TTFAServer, "the same, to the first token of the answer itself")
	}
	if f.Stage == stages.LLM {
		for _, o := range f.Other {
			l.time(strings.ReplaceAll(o.Name, "_", " "), o.Timing, "the server's own figure; what it holds is not said")
		}
	}
}

// approximately says what an approximate TTFT is made of and what it lacks.
func (l *lines) approximately() string {
	without := []string{"queue", "network"}
	if len(l.of) > 0 && strings.Contains(strings.Join(l.of, " "), "queue") {
		without = without[1:]
	}
	how := fmt.Sprintf("approximate: %s as the server reports them, without %s", strings.Join(l.of, " + "),
		strings.Join(without, " and "))
	if len(l.of) == 1 {
		how = strings.Replace(how, "them", "it", 1)
	}
	return how
}

// pace adds how fast the tokens came after the first.
func (l *lines) pace() {
	f := l.r.Facts
	l.time("TPOT", l.TPOT, "(end - first token) / (tokens - 1)")
	how := "decode / (tokens - 1)"
	if f.FirstTokenInDecode {
		how = "decode / tokens, as decode begins before the first"
	}
	l.time("TPOT server", l.TPOTServer, how)
	switch gaps := l.gaps.N(); {
	case gaps > 0:
		l.add("ITL p50", report.Duration(l.ITLP50.D), fmt.Sprintf("measured: p95 %s, max %s, of %s",
			report.Duration(l.ITLP95.D), report.Duration(l.ITLMax.D), number(gaps, "gap")))
	case f.Streamed && l.r.Clock == ServerClock && f.ServerGaps.N() == 0 && l.r.OK():
		if !l.TPOTServer.Known() {
			l.add("TPOT", "unknown", "saved bytes have no arrival times: pipe curl -sN into ragtrace timings")
		}
		l.add("ITL", "unknown", "saved bytes have no arrival times, and the server stamps none")
	case !f.Streamed && l.r.OK():
		l.add("ITL", "unknown", "unknowable from an answer that came in one piece")
	}
	if n := f.ServerGaps.N(); n > 0 {
		p95, _ := f.ServerGaps.Quantile(0.95)
		l.add("ITL server p50", report.Duration(l.ITLServerP50.D), fmt.Sprintf("by the server's stamps: p95 %s, max %s, of %s",
			report.Duration(p95), report.Duration(f.ServerGaps.Max()), number(n, "gap")))
	}
}

// whole adds the time of the whole exchange.
func (l *lines) whole() {
	switch {
	case l.E2E.Source == stages.Reported:
		l.time("E2E", l.E2E, "the server's own total, without the network")
	case !l.r.OK():
		l.time("E2E", l.E2E, "to where it ended")
	default:
		l.time("E2E", l.E2E, "to the finish")
	}
	if !l.E2E.Known() && l.r.Clock == ServerClock {
		how := "the server reports no total"
		if l.r.Facts.Flagged(stages.FlagSuspectUnits) {
			how = "the server's total is in another unit than its name says"
		}
		l.add("E2E", "unknown", how)
	}
}
