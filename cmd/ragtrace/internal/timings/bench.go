package timings

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recording"
)

// BenchJSON is one exchange with the figures of `vllm bench serve`. What that tool would not have is left out.
type BenchJSON struct {
	Input   string            `json:"input"`
	Status  stages.Status     `json:"status"`
	TTFT    *recording.Millis `json:"ttft_ms,omitempty"`
	TPOT    *recording.Millis `json:"tpot_ms,omitempty"`
	E2EL    *recording.Millis `json:"e2el_ms,omitempty"`
	ITLGaps int               `json:"itl_gaps"`
	ITLMean *recording.Millis `json:"itl_mean_ms,omitempty"`
	ITLP50  *recording.Millis `json:"itl_p50_ms,omitempty"`
	ITLP95  *recording.Millis `json:"itl_p95_ms,omitempty"`
	ITLP99  *recording.Millis `json:"itl_p99_ms,omitempty"`
}

// bench are the figures of r; none when there were no arrivals to go by.
func (r *Result) bench() stages.BenchMetrics {
	if r.Clock == ServerClock {
		return stages.BenchMetrics{}
	}
	return r.Facts.BenchMetrics()
}

// BenchJSON is r for machines, as `vllm bench serve` would measure it.
func (r *Result) BenchJSON() BenchJSON {
	b := r.bench()
	j := BenchJSON{Input: r.Input, Status: r.Facts.Status, TTFT: ms(b.TTFT), TPOT: ms(b.TPOT), E2EL: ms(b.E2EL), ITLGaps: b.ITL.N()}
	if b.ITL.N() > 0 {
		j.ITLMean = ms(stages.Timing{D: (b.E2EL.D - b.TTFT.D) / time.Duration(b.ITL.N()), Source: stages.Derived})
		for q, to := range map[float64]**recording.Millis{0.5: &j.ITLP50, 0.95: &j.ITLP95, 0.99: &j.ITLP99} {
			d, _ := b.ITL.Quantile(q)
			*to = ms(stages.Timing{D: d, Source: stages.Derived})
		}
	}
	return j
}

// Bench writes exchanges as `vllm bench serve` measures them: TTFT to the first event with choices, empty ones too, E2EL to
// the last one; TPOT over the tokens after the first; ITL of all together. Every exchange that succeeded counts, the first
// one too.
func Bench(s report.Screen, results []*Result) error {
	var b strings.Builder
	var rows [][]string
	var ttft, tpot, e2el, itl sample
	none, uncounted := 0, 0
	for _, r := range results {
		m := r.bench()
		if !m.TTFT.Known() {
			none++
		} else if !r.Facts.OutputTokens.Known() {
			uncounted++
		}
		p50, p99 := stages.Timing{}, stages.Timing{}
		if m.ITL.N() > 0 {
			d50, _ := m.ITL.Quantile(0.5)
			d99, _ := m.ITL.Quantile(0.99)
			p50, p99 = stages.Timing{D: d50, Source: stages.Derived}, stages.Timing{D: d99, Source: stages.Derived}
		}
		rows = append(rows, []string{shortName(s, r.Input), cmp.Or(r.Model(), "-"), duration(m.TTFT), duration(m.TPOT), duration(p50), duration(p99), duration(m.E2EL)})
		ttft.add(m.TTFT)
		tpot.add(m.TPOT)
		e2el.add(m.E2EL)
		itl.pool(m.ITL, m.E2EL.D-m.TTFT.D)
	}
	b.WriteString(report.Grid(s, []report.Head{
		{Text: "run"}, {Text: "model", Max: 16}, {Text: "ttft", Right: true}, {Text: "tpot", Right: true},
		{Text: "itl p50", Right: true}, {Text: "itl p99", Right: true}, {Text: "e2el", Right: true},
	}, rows))
	if len(results) > 1 {
		rows = nil
		for _, x := range []struct {
			name string
			*sample
		}{{"TTFT", &ttft}, {"TPOT", &tpot}, {"ITL", &itl}, {"E2EL", &e2el}} {
			if x.gaps.N() > 0 {
				rows = append(rows, x.row(x.name+" (ms)"))
			}
		}
		b.WriteString("\n" + report.Grid(s, []report.Head{
			{Text: "figure"}, {Text: "n", Right: true}, {Text: "Mean", Right: true}, {Text: "Median", Right: true},
			{Text: "P95", Right: true}, {Text: "P99", Right: true},
		}, rows))
	}
	if none > 0 {
		b.WriteString("\n" + report.Paragraph(s, "- ", number(none, "input")+" without figures: the tool reads streams of OpenAI's shape "+
			"whose reads have times, and leaves out what failed."))
	}
	if uncounted > 0 {
		b.WriteString("\n" + report.Paragraph(s, "- ", number(uncounted, "input")+" without usage: the server counts no tokens, so there "+
			"is no tpot; ask for it with \"stream_options\": {\"include_usage\": true}."))
	}
	_, err := io.WriteString(s, b.String())
	return err
}

// A sample is values as the tool takes them together.
type sample struct {
	gaps stages.Gaps // any durations: their quantiles are wanted
	sum  time.Duration
}

func (s *sample) add(t stages.Timing) {
	if t.Known() {
		s.gaps.Add(t.D)
		s.sum += t.D
	}
}

// pool adds gaps that add up to sum.
func (s *sample) pool(gaps *stages.Gaps, sum time.Duration) {
	if gaps.N() > 0 {
		s.gaps.Pool(gaps)
		s.sum += sum
	}
}

// row shows milliseconds with two decimals, as the tool does.
func (s *sample) row(name string) []string {
	row := []string{name, fmt.Sprint(s.gaps.N()), millis(time.Duration(math.Round(float64(s.sum) / float64(s.gaps.N()))))}
	for _, q := range []float64{0.5, 0.95, 0.99} {
		d, _ := s.gaps.Quantile(q)
		row = append(row, millis(d))
	}
	return row
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond)) }
