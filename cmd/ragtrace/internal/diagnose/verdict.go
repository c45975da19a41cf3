package diagnose

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// conclude writes the verdict.
func (j *Judgement) conclude() {
	v := &j.verdict
	v.Slow = j.slowResults()
	v.Side, v.InsideShare = j.side()
	v.Causes = j.allCauses()
	v.Text = j.sentence()
	for _, c := range v.Causes {
		v.Advice = append(v.Advice, Hint{c.Cause, j.advice(c.Cause)})
	}
}

// Verdict is the answer, which is worked out when it is first asked for.
func (j *Judgement) Verdict() Verdict {
	j.decided.Do(j.decide)
	return j.verdict
}

// Report lists all questions beside the verdict.
func (j *Judgement) Report() Report {
	j.t.have()
	rows := j.Rows()
	r := Report{Questions: make([]Result, len(rows)), Verdict: j.Verdict()}
	slow := j.slowRows()
	var sharing sync.WaitGroup
	for half := range halves {
		sharing.Go(func() {
			var s slabs
			for i := half * len(rows) / halves; i < (half+1)*len(rows)/halves; i++ {
				r.Questions[i] = j.result(rows[i], &s)
				r.Questions[i].Slow = slow[rows[i]]
			}
		})
	}
	sharing.Wait()
	return r
}

func (j *Judgement) slowRows() map[int]bool {
	slow := make(map[int]bool, len(j.slow))
	for _, s := range j.slow {
		slow[s.row] = true
	}
	return slow
}

// Rows are the rows that were judged in the order of a report: by session, in the order of their first starts, then by number.
func (j *Judgement) Rows() []int { return j.inOrder(nil) }

// Chosen are those of Rows that were chosen.
func (j *Judgement) Chosen() []int { return j.inOrder(j.chosen) }

func (j *Judgement) inOrder(wanted func(row int) bool) []int {
	place := make([]int, len(j.t.texts)) // of a session in bySession, from 1
	var bySession [][]int32              // in the order of their starts
	sessions := j.t.column(colSession)
	n := 0
	register := func(row int32) *int {
		at := &place[sessions[row]]
		if *at == 0 {
			bySession = append(bySession, nil)
			*at = len(bySession)
		}
		return at
	}
	for _, row := range j.rows {
		if j.t.timed(int(row)) { // a session whose first start is unknown comes last
			register(row)
		}
	}
	for _, row := range j.rows {
		at := register(row)
		if wanted == nil || wanted(int(row)) {
			bySession[*at-1] = append(bySession[*at-1], row)
			n++
		}
	}
	rows, numbers := make([]int, 0, n), j.t.numbered()
	for _, list := range bySession {
		byNumber := func(a, b int32) int { return cmp.Compare(numbers[a], numbers[b]) }
		if !slices.IsSortedFunc(list, byNumber) { // as they mostly are
			slices.SortStableFunc(list, byNumber)
		}
		for _, row := range list {
			rows = append(rows, int(row))
		}
	}
	return rows
}

// Len is how many questions were chosen.
func (j *Judgement) Len() int {
	if j.chosen == nil {
		return len(j.rows)
	}
	n := 0
	for _, row := range j.rows {
		if j.chooses(int(row)) {
			n++
		}
	}
	return n
}

// IsCold reports whether a row's question had any cold cost.
func (j *Judgement) IsCold(row int) bool { return len(j.cold[row]) > 0 }

// idle is for each row how long nothing was asked in its session before it; -1 when nothing was asked before.
func (j *Judgement) idle() []int64 {
	idle := make([]int64, j.t.n)
	ends := make([]int64, len(j.t.texts)) // the latest by session
	began := make([]bool, len(j.t.texts))
	starts, times, sessions := j.t.column(colStart), j.t.column(colE2E), j.t.column(colSession)
	for _, row := range j.rows {
		idle[row] = -1
		if starts[row] == 0 {
			continue
		}
		session := sessions[row]
		if began[session] {
			idle[row] = max(starts[row]-ends[session], 0)
		}
		ends[session] = max(ends[session], starts[row]+times[row])
		began[session] = true
	}
	return idle
}

// result is one question's line but for Slow.
func (j *Judgement) result(row int, s *slabs) Result {
	q := j.t.Question(row)
	r := Result{
		Session: q.Session, Number: j.t.Number(row), TraceID: q.TraceID, Status: q.Status, Timed: q.Timed(),
		Flags: q.Flags, Cold: j.cold[row], Question: q,
	}
	if !r.Timed {
		return r
	}
	r.Start = time.Unix(0, q.Start).UTC()
	if idle := j.idles()[row]; idle >= 0 {
		r.IdleBefore = s.whole(time.Duration(idle))
	}
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

func (j *Judgement) slowResults() []Slow {
	list := make([]Slow, 0, len(j.slow))
	for _, s := range j.slow {
		side := SideUndecided
		if !s.doubtful {
			side, _ = sideOf(s.inside, s.outside)
		}
		list = append(list, Slow{
			Session: j.t.Session(s.row), Number: j.t.Number(s.row), TraceID: j.t.traceID(s.row), E2E: s.e2e, Baseline: s.baseline,
			Over: s.over, InsideOver: s.inside, OutsideOver: s.outside, Side: side, Causes: s.causes,
		})
	}
	return list
}

// traceID is the trace of a row's question.
func (t *Table) traceID(row int) (id model.TraceID) {
	binary.BigEndian.PutUint64(id[:8], uint64(t.at(colTraceHigh, row)))
	binary.BigEndian.PutUint64(id[8:], uint64(t.at(colTraceLow, row)))
	return id
}

// allCauses are those of the slow questions by their sum, then the standing costs.
func (j *Judgement) allCauses() []Cause {
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
