package gate

import (
	"encoding/json"
	"math"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// String is the unit that JSON has values in.
func (u Unit) String() string {
	switch u {
	case Duration:
		return "ms"
	case Percent:
		return "%"
	}
	return "count"
}

// scale is a value in the unit that JSON has it in.
func (u Unit) scale(v float64) float64 {
	switch u {
	case Duration:
		v /= 1e6
	case Percent:
		v *= 100
	}
	return math.Round(v*1000) / 1000
}

// MarshalJSON implements json.Marshaler. The keys are stable; value is null when there were no values.
func (o Outcome) MarshalJSON() ([]byte, error) {
	unit := o.Expr.Unit()
	v := struct {
		Expression string     `json:"expression"`
		Pass       bool       `json:"pass"`
		Value      *float64   `json:"value"`
		Limit      float64    `json:"limit"`
		Unit       string     `json:"unit"`
		N          int        `json:"n"`
		Note       string     `json:"note,omitempty"`
		Offenders  []Offender `json:"offenders"`
	}{
		Expression: o.Expr.Text, Pass: o.Pass, Limit: unit.scale(o.Expr.limit), Unit: unit.String(), N: o.N, Note: o.Note,
		Offenders: append([]Offender{}, o.Offenders...),
	}
	if o.Value != nil {
		value := unit.scale(*o.Value)
		v.Value = &value
	}
	for i := range v.Offenders {
		x := &v.Offenders[i]
		x.Value, x.Time = unit.scale(x.Value), Duration.scale(x.Time)
	}
	return json.Marshal(v)
}

// MarshalJSON implements json.Marshaler.
func (o Offender) MarshalJSON() ([]byte, error) {
	v := struct {
		Session string        `json:"session"`
		Number  int           `json:"number"`
		TraceID model.TraceID `json:"trace_id"`
		Value   float64       `json:"value"`
		Time    *float64      `json:"cold_ms,omitempty"`
	}{Session: o.Session, Number: o.Number, TraceID: o.TraceID, Value: o.Value}
	if o.Time != 0 {
		v.Time = &o.Time
	}
	return json.Marshal(v)
}
