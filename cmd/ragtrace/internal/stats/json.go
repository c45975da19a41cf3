package stats

import (
	"encoding/json"
	"math"
	"time"
)

// MarshalJSON implements json.Marshaler. Keys are stable; times are in milliseconds with three decimals.
func (s Summary) MarshalJSON() ([]byte, error) {
	groups := s.Groups
	if groups == nil {
		groups = []Group{}
	}
	return json.Marshal(struct {
		Percentile string     `json:"percentile"`
		Statuses   Statuses   `json:"questions"`
		Throughput Throughput `json:"throughput"`
		Groups     []Group    `json:"groups"`
	}{"linear interpolation", s.Statuses, s.Throughput, groups})
}

// MarshalJSON implements json.Marshaler.
func (s Statuses) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		OK         int `json:"ok"`
		Error      int `json:"error"`
		Cancelled  int `json:"cancelled"`
		Incomplete int `json:"incomplete"`
	}(s))
}

// MarshalJSON implements json.Marshaler. Rates are null where no time is known, or not all tokens.
func (t Throughput) MarshalJSON() ([]byte, error) {
	rate := func(n int64, d time.Duration) *float64 {
		v, ok := PerSecond(n, d)
		if !ok {
			return nil
		}
		v = thousandths(v)
		return &v
	}
	total, output, told := t.Tokens()
	tokenRate := func(n int64, d time.Duration) *float64 {
		if !told {
			return nil
		}
		return rate(n, d)
	}
	return json.Marshal(struct {
		Answered            int      `json:"answered"`
		Span                float64  `json:"span_ms"`
		Busy                float64  `json:"busy_ms"`
		PerSecond           *float64 `json:"questions_per_s"`
		PerBusySecond       *float64 `json:"questions_per_busy_s"`
		InputTokens         int64    `json:"input_tokens"`
		OutputTokens        int64    `json:"output_tokens"`
		TokensPerSecond     *float64 `json:"total_tokens_per_s"`
		TokensPerBusySecond *float64 `json:"total_tokens_per_busy_s"`
		OutputPerSecond     *float64 `json:"output_tokens_per_s"`
		Calls               int      `json:"calls"`
		Untold              int      `json:"calls_without_tokens"`
	}{
		t.Answered, millis(float64(t.Span)), millis(float64(t.Busy)), rate(int64(t.Answered), t.Span), rate(int64(t.Answered), t.Busy),
		t.InputTokens, t.OutputTokens, tokenRate(total, t.Span), tokenRate(total, t.Busy), tokenRate(output, t.Span), t.Calls, t.Untold,
	})
}

// MarshalJSON implements json.Marshaler.
func (g Group) MarshalJSON() ([]byte, error) {
	rows := make([]rowJSON, len(g.Rows))
	for i, r := range g.Rows {
		rows[i] = rowJSON{r.Metric.Name, r.Metric.Unit.String(), r.Metric.distJSON(r.All), r.Metric.distJSON(r.Warm), r.Metric.distJSON(r.Cold)}
	}
	return json.Marshal(struct {
		Provider    string    `json:"provider"`
		Model       string    `json:"model"`
		Statuses    Statuses  `json:"questions"`
		Warm        int       `json:"warm"`
		Cold        int       `json:"cold"`
		Calls       int       `json:"calls"`
		FailedCalls int       `json:"failed_calls"`
		Metrics     []rowJSON `json:"metrics"`
	}{g.Backend.Provider, g.Backend.Model, g.Statuses, g.Warm, g.Cold, g.Calls, g.FailedCalls, rows})
}

type rowJSON struct {
	Metric string   `json:"metric"`
	Unit   string   `json:"unit"`
	All    distJSON `json:"all"`
	Warm   distJSON `json:"warm"`
	Cold   distJSON `json:"cold"`
}

type distJSON struct {
	N   int      `json:"n"`
	P50 *float64 `json:"p50"`
	P95 *float64 `json:"p95"`
	Few bool     `json:"p95_of_few,omitempty"`
}

func (m *Metric) distJSON(d Dist) distJSON {
	if d.N == 0 {
		return distJSON{}
	}
	p50, p95 := m.Scale(d.P50), m.Scale(d.P95)
	return distJSON{d.N, &p50, &p95, d.Few()}
}

// String is the unit that JSON has values in.
func (u Unit) String() string {
	if u == Tokens {
		return "tokens"
	}
	return "ms"
}

// Scale is a value in the unit that JSON has it in.
func (m *Metric) Scale(v float64) float64 {
	if m.Unit == Tokens {
		return thousandths(v)
	}
	return millis(v)
}

func millis(ns float64) float64 { return thousandths(ns / 1e6) }

func thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }

// MarshalJSON implements json.Marshaler.
func (c Comparison) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		A    Side         `json:"a"`
		B    Side         `json:"b"`
		Rows []Difference `json:"metrics"`
	}{c.A, c.B, append([]Difference{}, c.Rows...)})
}

// MarshalJSON implements json.Marshaler.
func (s Side) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Questions int `json:"questions"`
		Cold      int `json:"cold"`
	}(s))
}

// MarshalJSON implements json.Marshaler. difference_shown is null without an interval.
func (d Difference) MarshalJSON() ([]byte, error) {
	v := struct {
		Metric   string    `json:"metric"`
		Unit     string    `json:"unit"`
		A        float64   `json:"a"`
		B        float64   `json:"b"`
		NA       int       `json:"n_a"`
		NB       int       `json:"n_b"`
		By       float64   `json:"difference"`
		Share    *float64  `json:"share"`
		Interval []float64 `json:"interval_95"`
		Shown    *bool     `json:"difference_shown"`
	}{Metric: d.Metric.Name, Unit: d.Metric.Unit.String(), A: d.Metric.Scale(d.A), B: d.Metric.Scale(d.B), NA: d.NA, NB: d.NB,
		By: d.Metric.Scale(d.By())}
	if d.Share != nil {
		share := math.Round(*d.Share*10_000) / 10_000
		v.Share = &share
	}
	if d.Interval != nil {
		v.Interval = []float64{d.Metric.Scale(d.Interval.Low), d.Metric.Scale(d.Interval.High)}
		shown := !d.Interval.SpansZero()
		v.Shown = &shown
	}
	return json.Marshal(v)
}
