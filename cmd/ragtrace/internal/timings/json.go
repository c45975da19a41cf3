package timings

import (
	"slices"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recording"
)

// JSON is a Result as --json shows it: the keys of the published timing cases, and a few more. What the clock cannot tell
// is left out.
type JSON struct {
	Input  string `json:"input"`
	Clock  Clock  `json:"clock"`
	Trace  string `json:"trace_id,omitempty"`
	WarmUp bool   `json:"warm_up,omitempty"` // the first run of its backend and model, of several
	*recording.Result

	TTFTApprox  *recording.Millis `json:"ttft_approximate_ms,omitempty"` // load and prefill of an answer that came in one piece
	Load        *recording.Millis `json:"load_ms,omitempty"`             // as the server reports them
	Prefill     *recording.Millis `json:"prefill_ms,omitempty"`
	Decode      *recording.Millis `json:"decode_ms,omitempty"`
	PrefillRate *float64          `json:"prefill_tokens_per_s,omitempty"`
	DecodeRate  *float64          `json:"decode_tokens_per_s,omitempty"`
	Notes       []string          `json:"notes,omitempty"`

	Gateway map[string]recording.Millis `json:"gateway_ms,omitempty"` // what the headers tell of the way to the server
}

// JSON is r for machines. An answer in one piece whose TTFT is pieced together has the flag estimated_ttft, unless the
// exchange was recorded: its flags are those of the published cases.
func (r *Result) JSON() JSON {
	f, g := r.Facts, r.figures()
	res := recording.NewResult(f)
	if r.Problem != "" {
		res.Error = r.Problem
	}
	res.Flags = append([]string{}, r.flags()...)
	res.E2E, res.TTFT, res.TTFA = ms(g.E2E), ms(g.TTFT), ms(g.TTFA)
	res.TPOT, res.ITLP50, res.ITLP95, res.ITLMax = ms(g.TPOT), ms(g.ITLP50), ms(g.ITLP95), ms(g.ITLMax)
	res.Queue, res.ServerStart, res.ServerEnd = ms(g.Queue), ms(g.ServerStart), ms(g.ServerEnd)
	if r.Clock == ServerClock {
		res.ITLGaps, res.Client, res.Outside = nil, nil, nil
	}
	if f.Stage == stages.LLM {
		for _, o := range f.Other {
			if res.ServerMetrics == nil {
				res.ServerMetrics = make(map[string]float64)
			}
			res.ServerMetrics[o.Name+"_ms"] = float64(recording.MillisOf(o.D))
		}
	}
	j := JSON{Input: r.Input, Clock: r.Clock, Trace: r.Trace, Result: res, Notes: r.notes()}
	j.TTFTApprox = ms(g.approx)
	j.Load, j.Prefill, j.Decode = ms(g.said.load), ms(g.said.prefill), ms(g.said.decode)
	if !g.said.total.Known() {
		res.Total = nil
	}
	for _, t := range f.Gateway.Timings {
		if j.Gateway == nil {
			j.Gateway = make(map[string]recording.Millis)
		}
		j.Gateway[t.Name] = recording.MillisOf(t.D)
	}
	j.PrefillRate, j.DecodeRate = rate(g.PrefillRate), rate(g.DecodeRate)
	if g.approx.Known() && r.Clock != ClientClock {
		res.Flags = append(res.Flags, stages.FlagEstimatedTTFT)
		slices.Sort(res.Flags)
	}
	return j
}

// AllJSON is what several inputs are as JSON, in their order.
func AllJSON(results []*Result) []JSON {
	first := warmUps(results)
	all := make([]JSON, len(results))
	for i, r := range results {
		all[i] = r.JSON()
		all[i].WarmUp = first[r]
	}
	return all
}

func ms(t stages.Timing) *recording.Millis {
	if !t.Known() {
		return nil
	}
	m := recording.MillisOf(t.D)
	return &m
}

func rate(r stages.Rate) *float64 {
	if !r.Known() {
		return nil
	}
	return &r.PerSecond
}
