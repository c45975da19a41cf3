package diagnose

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// millis marshals as milliseconds with three decimals.
type millis time.Duration

func (m millis) MarshalJSON() ([]byte, error) {
	us := time.Duration(m).Round(time.Microsecond).Microseconds()
	sign := ""
	if us < 0 {
		sign, us = "-", -us
	}
	return fmt.Appendf(nil, "%s%d.%03d", sign, us/1000, us%1000), nil
}

func millisIf(known bool, d time.Duration) *millis {
	if !known {
		return nil
	}
	m := millis(d)
	return &m
}

func millisOf(d *time.Duration) *millis {
	if d == nil {
		return nil
	}
	return millisIf(true, *d)
}

type resultJSON struct {
	Session      string        `json:"session"`
	Number       int           `json:"number"`
	TraceID      model.TraceID `json:"trace_id"`
	Start        *time.Time    `json:"start"`
	IdleBefore   *millis       `json:"idle_before_ms,omitempty"`
	E2E          *millis       `json:"e2e_ms"`
	TTFT         *millis       `json:"ttft_ms"`
	TTFTRuler    Ruler         `json:"ttft_ruler,omitempty"`
	FirstByte    *millis       `json:"first_byte_ms,omitempty"`
	Status       Status        `json:"status"`
	Inside       *millis       `json:"inside_llm_ms"`
	Outside      *millis       `json:"outside_llm_ms"`
	Unattributed *millis       `json:"unattributed_ms"`
	Stages       []Stage       `json:"stages"`
	Cold         []Cold        `json:"cold"`
	Flags        []string      `json:"flags"`
}

// MarshalJSON implements json.Marshaler.
func (r Result) MarshalJSON() ([]byte, error) {
	v := resultJSON{
		Session: r.Session, Number: r.Number, TraceID: r.TraceID, Status: r.Status,
		IdleBefore: millisOf(r.IdleBefore), E2E: millisIf(r.Timed, r.E2E), TTFT: millisOf(r.TTFT), TTFTRuler: r.TTFTRuler,
		FirstByte: millisOf(r.FirstByte), Inside: millisIf(r.Timed, r.Inside), Outside: millisIf(r.Timed, r.Outside),
		Unattributed: millisIf(r.Timed, r.Unattributed),
		Stages:       notNil(r.Stages), Cold: notNil(r.Cold), Flags: notNil(r.Flags),
	}
	if r.Timed {
		start := r.Start.UTC()
		v.Start = &start
	}
	return json.Marshal(v)
}

type stageJSON struct {
	Stage  string `json:"stage"`
	Time   millis `json:"ms"`
	Inside bool   `json:"inside_llm"`
}

// MarshalJSON implements json.Marshaler.
func (s Stage) MarshalJSON() ([]byte, error) {
	return json.Marshal(stageJSON{s.Component.String(), millis(s.Time), s.Component.InsideLLM()})
}

// MarshalJSON implements json.Marshaler.
func (c Cold) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Cause string `json:"cause"`
		stageJSON
	}{c.Cause, stageJSON{c.Component.String(), millis(c.Time), c.Component.InsideLLM()}})
}

// MarshalJSON implements json.Marshaler.
func (c Cause) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Cause string `json:"cause"`
		Time  millis `json:"ms"`
	}{c.Cause, millis(c.Time)})
}

// MarshalJSON implements json.Marshaler. Causes are names here; their times stand in the verdict's costs.
func (s Slow) MarshalJSON() ([]byte, error) {
	causes := make([]string, len(s.Causes))
	for i, c := range s.Causes {
		causes[i] = c.Cause
	}
	return json.Marshal(struct {
		Session     string        `json:"session"`
		Number      int           `json:"number"`
		TraceID     model.TraceID `json:"trace_id"`
		E2E         millis        `json:"e2e_ms"`
		Baseline    millis        `json:"baseline_ms"`
		Over        millis        `json:"over_ms"`
		InsideOver  millis        `json:"inside_over_ms"`
		OutsideOver millis        `json:"outside_over_ms"`
		Side        Side          `json:"side"`
		Causes      []string      `json:"causes"`
	}{s.Session, s.Number, s.TraceID, millis(s.E2E), millis(s.Baseline), millis(s.Over), millis(s.InsideOver),
		millis(s.OutsideOver), s.Side, causes})
}

type verdictJSON struct {
	Text        string   `json:"text"`
	Slow        []Slow   `json:"slow"`
	Side        Side     `json:"side"`
	InsideShare *float64 `json:"inside_share,omitempty"`
	Causes      []string `json:"causes"`
	Costs       []Cause  `json:"costs"` // of the causes
	Advice      []Hint   `json:"advice"`
}

func (v Verdict) json() verdictJSON {
	share := v.InsideShare
	if share != nil {
		rounded := math.Round(*share*10_000) / 10_000
		share = &rounded
	}
	causes := make([]string, len(v.Causes))
	for i, c := range v.Causes {
		causes[i] = c.Cause
	}
	return verdictJSON{v.Text, notNil(v.Slow), v.Side, share, causes, notNil(v.Causes), notNil(v.Advice)}
}

// MarshalJSON implements json.Marshaler.
func (v Verdict) MarshalJSON() ([]byte, error) { return json.Marshal(v.json()) }

// MarshalJSON implements json.Marshaler. The keys of the verdict come first, and then the questions.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		verdictJSON
		Questions []Result `json:"questions"`
	}{r.Verdict.json(), notNil(r.Questions)})
}

// MarshalJSON implements json.Marshaler.
func (h Hint) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Cause string `json:"cause"`
		Text  string `json:"text"`
	}{h.Cause, h.Text})
}

// notNil makes an absent list an empty one, which JSON readers need not tell from null.
func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
