package web

import (
	"strconv"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// A call is one LLM call and how its tokens came.
type call struct {
	Model, Provider       string
	Failed                bool
	Time                  time.Duration
	Input, Cached, Output string // tokens; "?" when unknown
	diagnose.Pace
	ITLMax *time.Duration
	Strip  *strip
}

// A strip draws the pauses between the chunks of a call: half of them are within the first part, 95 of 100 within the first
// two, and the longest ends it.
type strip struct {
	P50, P95W string // widths
	P95X      string
	MaxX      string
	MaxW      string
	Stall     string // what to know of the longest pause; "" for nothing
}

// A pause is a stall when it is stallTimes the median one and longer than stallOver.
const (
	stallTimes = 5
	stallOver  = 100 * time.Millisecond
)

func calls(r *diagnose.Result, l *diagnose.Layout) []call {
	var list []call
	for i := range r.Question.Calls {
		c := &r.Question.Calls[i]
		if len(list) == 50 {
			break
		}
		v := call{
			Model: shown(c.Model), Provider: shown(c.Provider), Failed: c.Failed, Time: time.Duration(c.End - c.Start),
			Input: count(c.Input), Cached: count(c.Cached), Output: count(c.Output), Pace: c.Pace,
		}
		if s := callSpan(l, r, c); s != nil {
			if s, ok := s.Attrs.Float("ragtrace.llm.inter_chunk.max"); ok && s > 0 && s < 86400 {
				d := time.Duration(s * float64(time.Second))
				v.ITLMax = &d
			}
		}
		v.strip()
		list = append(list, v)
	}
	return list
}

// callSpan is the span of a call.
func callSpan(l *diagnose.Layout, r *diagnose.Result, c *diagnose.Call) *model.Span {
	for i := range l.Rows {
		row := &l.Rows[i]
		if row.Stage == "llm" && row.Span != nil && row.Span.Kind != model.KindServer &&
			row.Start == max(0, time.Duration(c.Start-r.Question.Start)) {
			return row.Span
		}
	}
	return nil
}

func count(n int64) string {
	if n < 0 {
		return "?"
	}
	return strconv.FormatInt(n, 10)
}

func (c *call) strip() {
	if c.ITLP50 == nil || c.ITLP95 == nil {
		return
	}
	p50, p95 := *c.ITLP50, max(*c.ITLP95, *c.ITLP50)
	top := p95
	if c.ITLMax != nil {
		top = max(top, *c.ITLMax)
	}
	if top <= 0 {
		return
	}
	s := &strip{
		P50: percent(float64(p50), float64(top)), P95X: percent(float64(p50), float64(top)), P95W: percent(float64(p95-p50), float64(top)),
		MaxX: percent(float64(p95), float64(top)), MaxW: percent(float64(top-p95), float64(top)),
	}
	if c.ITLMax != nil && *c.ITLMax >= stallOver && *c.ITLMax >= stallTimes*p50 {
		s.Stall = "stalled once for " + report.Duration(*c.ITLMax)
		if p50 > 0 {
			s.Stall += ", " + strconv.Itoa(int(*c.ITLMax/p50)) + " times the median"
		}
	}
	c.Strip = s
}

type callJSON struct {
	Model      string   `json:"model"`
	Provider   string   `json:"provider"`
	Failed     bool     `json:"failed"`
	Time       float64  `json:"ms"`
	Input      string   `json:"input_tokens"`
	Cached     string   `json:"cached_tokens"`
	Output     string   `json:"output_tokens"`
	TTFT       *float64 `json:"ttft_client_ms"`
	TTFTServer *float64 `json:"ttft_server_ms"`
	TTFA       *float64 `json:"ttfa_ms"`
	TPOT       *float64 `json:"tpot_ms"`
	ITLP50     *float64 `json:"itl_p50_ms"`
	ITLP95     *float64 `json:"itl_p95_ms"`
	ITLMax     *float64 `json:"itl_max_ms"`
}

func callsJSON(calls []call) []callJSON {
	list := make([]callJSON, len(calls))
	for i, c := range calls {
		list[i] = callJSON{
			c.Model, c.Provider, c.Failed, millis(c.Time), c.Input, c.Cached, c.Output, millisOf(c.TTFT), millisOf(c.TTFTServer),
			millisOf(c.TTFA), millisOf(c.TPOT), millisOf(c.ITLP50), millisOf(c.ITLP95), millisOf(c.ITLMax),
		}
	}
	return list
}
