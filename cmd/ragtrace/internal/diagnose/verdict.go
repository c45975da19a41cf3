package diagnose

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// report writes the judgement down.
func (j *judge) report() Report {
	slow := make(map[*Question]bool, len(j.slow))
	for _, s := range j.slow {
		slow[s.Question] = true
	}
	sessions, to := j.order()
	r := Report{Questions: make([]Result, len(to))}
	var sharing sync.WaitGroup
	for half := range halves {
		sharing.Go(func() {
			var s slabs
			for i := half * len(to) / halves; i < (half+1)*len(to)/halves; i++ {
				q := j.questions[i]
				result := &r.Questions[to[i]]
				*result = j.result(q, &s)
				result.Slow = slow[q]
			}
		})
	}
	sharing.Wait()
	j.idle(r.Questions, sessions, to)
	v := &r.Verdict
	v.Slow = j.slowResults()
	v.Side, v.InsideShare = j.side()
	v.Causes = j.allCauses()
	v.Text = j.sentence()
	for _, c := range v.Causes {
		v.Advice = append(v.Advice, Hint{c.Cause, j.advice(c.Cause)})
	}
	return r
}

// order is where each question stands in a report: by session, in the order of their first starts, then by number. sessions
// are the places of the questions' sessions in that order.
func (j *judge) order() (sessions, to []int) {
	sessions, to = make([]int, len(j.questions)), make([]int, len(j.questions))
	known := make(map[string]int)
	type question struct{ number, at int }
	var asked [][]question // by session, in the order of their starts
	for i, q := range j.questions {
		session, ok := known[q.Session]
		if !ok {
			session = len(known)
			known[q.Session] = session
			asked = append(asked, nil)
		}
		sessions[i] = session
		asked[session] = append(asked[session], question{j.number(q), i})
	}
	at := 0
	for _, list := range asked {
		byNumber := func(a, b question) int { return cmp.Compare(a.number, b.number) }
		if !slices.IsSortedFunc(list, byNumber) { // as they mostly are
			slices.SortStableFunc(list, byNumber)
		}
		for _, q := range list {
			to[q.at] = at
			at++
		}
	}
	return sessions, to
}

// idle fills in how long nothing was asked in a session; sessions and to are those of order.
func (j *judge) idle(results []Result, sessions, to []int) {
	var s slabs
	ends := make([]int64, len(results)) // the latest by session
	began := make([]bool, len(results))
	for i, q := range j.questions {
		if !q.Timed() {
			continue
		}
		session := sessions[i]
		if began[session] {
			results[to[i]].IdleBefore = s.whole(max(time.Duration(q.Start-ends[session]), 0))
		}
		ends[session] = max(ends[session], q.End)
		began[session] = true
	}
}

// result is one question's line but for IdleBefore.
func (j *judge) result(q *Question, s *slabs) Result {
	r := Result{
		Session: q.Session, Number: j.number(q), TraceID: q.TraceID, Status: q.Status, Timed: q.Timed(),
		Flags: q.Flags, Cold: j.cold[q], Question: q,
	}
	if !r.Timed {
		return r
	}
	r.Start = time.Unix(0, q.Start).UTC()
	if q.TTFTRuler != RulerNone {
		r.TTFT, r.TTFTRuler = s.whole(q.TTFT), q.TTFTRuler
	}
	if q.FirstByte != nil {
		r.FirstByte = s.whole(*q.FirstByte)
	}
	// Sums are rounded, not the parts: so the parts still add up.
	some := 0
	for _, d := range q.Components {
		if d != 0 {
			some++
		}
	}
	if some > 0 {
		r.Stages = s.stages.take(some)[:0]
	}
	var sum, rounded time.Duration
	for c, d := range q.Components {
		sum += d
		d = sum.Round(time.Microsecond) - rounded
		rounded += d
		if d == 0 {
			continue
		}
		r.Stages = append(r.Stages, Stage{Component(c), d})
		switch c := Component(c); {
		case c.InsideLLM():
			r.Inside += d
		case c == GapStart, c == Gap:
			r.Unattributed += d
		}
	}
	r.E2E = rounded
	r.Outside = r.E2E - r.Inside
	return r
}

func (j *judge) slowResults() []Slow {
	list := make([]Slow, 0, len(j.slow))
	for _, s := range j.slow {
		side := SideUndecided
		if !s.doubtful {
			side, _ = sideOf(s.inside, s.outside)
		}
		list = append(list, Slow{
			Session: s.Session, Number: j.number(s.Question), TraceID: s.TraceID, E2E: s.E2E(), Baseline: s.baseline,
			Over: s.over, InsideOver: s.inside, OutsideOver: s.outside, Side: side, Causes: s.causes,
		})
	}
	return list
}

// allCauses are those of the slow questions by their sum, then the standing costs.
func (j *judge) allCauses() []Cause {
	var causes []Cause
	at := make(map[string]int)
	for _, s := range j.slow {
		for _, c := range s.causes {
			i, ok := at[c.Cause]
			if !ok {
				i = len(causes)
				at[c.Cause] = i
				causes = append(causes, Cause{Cause: c.Cause})
			}
			causes[i].Time += c.Time
		}
	}
	slices.SortStableFunc(causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Cause, b.Cause))
	})
	for _, s := range j.standing {
		if _, named := at[s.cause]; !named {
			causes = append(causes, Cause{s.cause, s.time()})
		}
	}
	return causes
}
