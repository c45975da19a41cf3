package web

import (
	"slices"
	"sync"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// verdicts are those that filters have asked for, so that a page that is looked at does not judge again and again.
type verdicts struct {
	mu    sync.Mutex
	known map[filter]diagnose.Verdict
}

// mostVerdicts is how many are kept.
const mostVerdicts = 16

// judge is the verdict on what a filter chooses, beside all questions. Whether a question stands out or was cold is part of
// a verdict and does not choose what it is about.
func (s *snapshot) judge(f filter) diagnose.Verdict {
	f.Slow, f.Cold = false, false
	if !f.Any() {
		return s.verdict
	}
	v := &s.verdicts
	v.mu.Lock()
	defer v.mu.Unlock()
	verdict, ok := v.known[f]
	if !ok {
		verdict = diagnose.VerdictOn(s.questions, f.chooses)
		if v.known == nil || len(v.known) == mostVerdicts {
			v.known = make(map[filter]diagnose.Verdict)
		}
		v.known[f] = verdict
	}
	return verdict
}

// nobody says why a filter leaves nothing when its session is why; "" else.
func (s *snapshot) nobody(f *filter) string {
	if f.Session == "" || slices.Contains(s.sessions, f.Session) {
		return ""
	}
	return "There is no session " + shown(f.Session)
}
