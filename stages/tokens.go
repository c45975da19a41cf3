package stages

import "time"

// Token records a token event: text of the answer, reasoning, or a tool call. An answer event is one that is not only
// reasoning. The moment is that of the read which completed the event. Tokens after Finish are flagged and not counted.
func (f *Facts) Token(at time.Duration, answer bool) {
	m := &f.Marks
	if m.Done.Known() {
		f.Flag(FlagAfterDone)
		return
	}
	now := Timing{at, Measured}
	if m.LastToken.Known() {
		if f.Gaps == nil {
			f.Gaps = new(Gaps)
		}
		f.Gaps.Add(at - m.LastToken.D)
	} else {
		m.FirstToken = now
	}
	if answer && !m.FirstAnswer.Known() {
		m.FirstAnswer = now
	}
	m.LastToken = now
	f.TokenEvents++
}

// Finish records the event that finishes the answer. The first one counts, with all that it says; for a second, which is
// flagged, Finish reports false.
func (f *Facts) Finish(at time.Duration) bool {
	if f.Marks.Done.Known() {
		f.Flag(FlagAfterDone)
		return false
	}
	f.Marks.Done = Timing{at, Measured}
	return true
}
