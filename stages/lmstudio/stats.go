package lmstudio

import (
	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// seconds reads a duration; null is absent and not bad.
func seconds(v stream.Value) (t stages.Timing, bad bool) {
	if v.Kind == stream.Null {
		return stages.Timing{}, false
	}
	s, ok := v.Float()
	if !ok {
		return stages.Timing{}, true
	}
	return stages.ReportedSeconds(s)
}

func firstToken(f *stages.Facts, t stages.Timing) {
	if t.Known() {
		f.Other = append(f.Other[:0], stages.NamedTiming{Name: "time_to_first_token", Timing: t})
	}
}

func speed(f *stages.Facts, perSecond float64) {
	if perSecond > 0 {
		f.Figures = append(f.Figures[:0], stages.Figure{Name: "tokens_per_second", Value: perSecond})
	}
}
