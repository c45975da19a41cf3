package ollama

import (
	"time"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// stamps follow created_at, which the server puts on every line by its own clock, with nanoseconds. Only differences
// count: they know nothing of the network, or of a gateway that holds lines back.
type stamps struct {
	first, last time.Time
	answer      time.Time // of the first token that is no thinking
	gaps        *stages.Gaps
	broken      bool // a token line without a stamp: differences would skip it
}

func (s *stamps) token(at time.Time, answer bool) {
	if answer && s.answer.IsZero() {
		s.answer = at
	}
	switch {
	case at.IsZero():
		s.broken = true
		return
	case s.first.IsZero():
		s.first = at
	default:
		if s.gaps == nil {
			s.gaps = new(stages.Gaps)
		}
		s.gaps.Add(at.Sub(s.last))
	}
	s.last = at
}

// done completes f. Stamps that do not move forward are those of a server that only pretends to have a clock.
func (s *stamps) done(f *stages.Facts, at time.Time) {
	if s.broken || s.first.IsZero() || !at.After(s.first) {
		return
	}
	f.ServerFirstToDone = stages.Timing{D: at.Sub(s.first), Source: stages.Reported}
	if at.After(s.answer) && !s.answer.IsZero() {
		f.ServerAnswerToDone = stages.Timing{D: at.Sub(s.answer), Source: stages.Reported}
	}
	f.ServerGaps = s.gaps
}

// cut completes f of an answer that broke off: the gaps up to there are known all the same.
func (s *stamps) cut(f *stages.Facts) {
	if !s.broken && s.last.After(s.first) {
		f.ServerGaps = s.gaps
	}
}

// timestamp reads RFC 3339 as Go's encoding/json writes it.
func timestamp(v stream.Value) time.Time {
	var t time.Time
	if v.Kind != stream.String || t.UnmarshalText(v.Text) != nil {
		return time.Time{}
	}
	return t
}
