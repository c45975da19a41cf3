package diagnose

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Judge compares questions with their peers, which are those of the same service and pipeline over all sessions. It does
// not change them.
func Judge(questions []Question) Report { return TableOf(questions).Judge(nil, nil).Report() }

// VerdictOn judges as Judge does, all questions being peers, but tells only of slow questions that are chosen.
func VerdictOn(questions []Question, chosen func(*Result) bool) Verdict {
	var j *Judgement
	var s slabs // of results that are looked at once
	j = TableOf(questions).Judge(nil, func(row int) bool {
		r := j.result(row, &s)
		return chosen(&r)
	})
	return j.Verdict()
}

// A Judgement is what is found out about questions of a table.
type Judgement struct {
	t        *Table
	rows     []int32 // that are judged, by start
	groups   []*group
	groupAt  []int32         // by row, the place in groups; -1 for none
	firstOf  map[process]int // of each process, the first question
	uses     func() *uses
	loads    *uses // cold loads of the LLM
	cold     map[int][]Cold
	chosen   func(row int) bool // nil: all
	slow     []slowQuestion     // that are chosen, worst first
	standing []standing         // largest first
	evidence map[string]*evidence
	decided  sync.Once
	verdict  Verdict
	idles    func() []int64
}

// A process made spans; both are places of texts.
type process struct{ service, instance int64 }

// Judge judges the questions of a table that are among those asked for, which are each other's peers, and tells in its verdict
// of those that are chosen. nil stands for all.
func (t *Table) Judge(among, chosen func(row int) bool) *Judgement {
	t.readAhead(judgedColumns)
	j := newJudgement(t, among, chosen)
	j.colds()
	return j
}

// newJudgement puts the questions into groups.
func newJudgement(t *Table, among, chosen func(row int) bool) *Judgement {
	j := &Judgement{
		t: t, chosen: chosen, rows: make([]int32, 0, t.n), groupAt: make([]int32, t.n), firstOf: make(map[process]int),
		cold: make(map[int][]Cold), evidence: make(map[string]*evidence),
	}
	j.uses = sync.OnceValue(func() *uses { return usesOf(t, j.rows) })
	j.idles = sync.OnceValue(j.idle)
	type peers struct{ service, pipeline int64 }
	byPeers := make(map[peers]int32)
	services, pipelines, instances := t.column(colService), t.column(colPipeline), t.column(colInstance)
	statuses, ok := t.column(colStatus), t.textID(string(StatusOK))
	var last peers
	var lastProcess process
	at := int32(-1)
	for row := range t.n {
		j.groupAt[row] = -1
		if among != nil && !among(row) {
			continue
		}
		j.rows = append(j.rows, int32(row))
		if !t.timed(row) {
			continue
		}
		if p := (peers{services[row], pipelines[row]}); p != last || at < 0 {
			known := false
			if at, known = byPeers[p]; !known {
				at = int32(len(j.groups))
				byPeers[p] = at
				g := &group{t: t}
				if at == 0 { // it is most often the only one
					g.all, g.ok = make([]int32, 0, t.n-row), make([]int32, 0, t.n-row)
				}
				j.groups = append(j.groups, g)
			}
			last = p
		}
		g := j.groups[at]
		j.groupAt[row] = at
		g.all = append(g.all, int32(row))
		if statuses[row] == ok {
			g.ok = append(g.ok, int32(row))
		}
		if p := (process{services[row], instances[row]}); p != lastProcess || len(j.firstOf) == 0 {
			if _, known := j.firstOf[p]; !known {
				j.firstOf[p] = row
			}
			lastProcess = p
		}
	}
	return j
}

// decide works out the verdict.
func (j *Judgement) decide() {
	var ahead sync.WaitGroup
	defer ahead.Wait()
	for _, g := range j.groups {
		if len(g.ok) >= manyPeers {
			ahead.Go(g.sampleAhead)
		}
	}
	j.findEvictions()
	j.findSlow()
	j.findStanding()
	j.conclude()
}

// groupOf is the group of a row whose question has known times.
func (j *Judgement) groupOf(row int) *group { return j.groups[j.groupAt[row]] }

// judgeable reports whether any group has enough ok questions to compare.
func (j *Judgement) judgeable() bool {
	return slices.ContainsFunc(j.groups, func(g *group) bool { return len(g.ok) >= minPeers })
}

// A slowQuestion is one that took far longer than its peers.
type slowQuestion struct {
	row             int
	group           *group
	e2e             time.Duration
	baseline, over  time.Duration
	inside, outside time.Duration // excess
	doubtful        bool          // its parts do not add up: no side, no causes
	causes          []Cause
}

// A question is slow when it takes more than slowTimes the others' median and more than slowOver longer.
const (
	slowTimes = 1.5
	slowOver  = 250 * time.Millisecond
)

func (j *Judgement) findSlow() {
	times := j.t.column(colE2E)
	for _, g := range j.groups {
		if len(g.ok) < minPeers {
			continue
		}
		all := g.sample(qE2E)
		for _, ok := range g.ok {
			row := int(ok)
			e2e := float64(times[row])
			median := all.medianWithout(e2e)
			if !(e2e > slowTimes*median && e2e-median > float64(slowOver)) || !j.chooses(row) {
				continue
			}
			s := slowQuestion{
				row: row, group: g, e2e: time.Duration(times[row]), baseline: time.Duration(median), over: time.Duration(e2e - median),
				inside: g.excess(qInside, row), outside: g.excess(qOutside, row),
				doubtful: j.t.hasFlag(row, FlagPartsExceedWhole),
			}
			if !s.doubtful {
				s.causes = j.causes(&s)
			}
			j.slow = append(j.slow, s)
		}
	}
	slices.SortStableFunc(j.slow, func(a, b slowQuestion) int {
		return cmp.Or(cmp.Compare(b.over, a.over), cmp.Compare(a.row, b.row))
	})
}

// chooses reports whether the verdict is to tell of a question.
func (j *Judgement) chooses(row int) bool { return j.chosen == nil || j.chosen(row) }

// hasFlag reports whether a flag of the row's question is raised.
func (t *Table) hasFlag(row int, flag string) bool {
	first := int(t.firstFlag()[row])
	for i := range int(t.column(colFlags)[row]) {
		if t.textAt(colFlag, first+i) == flag {
			return true
		}
	}
	return false
}

// A side is decided by the share of the excess that lies inside.
const (
	insideShare  = 0.75
	outsideShare = 0.25
)

// sideOf says on which side an excess lies. Without any, nothing can be said.
func sideOf(inside, outside time.Duration) (Side, float64) {
	inside, outside = max(inside, 0), max(outside, 0)
	if inside+outside == 0 {
		return SideUndecided, 0
	}
	share := float64(inside) / float64(inside+outside)
	switch {
	case share >= insideShare:
		return SideInside, share
	case share <= outsideShare:
		return SideOutside, share
	default:
		return SideBoth, share
	}
}

// side is the side of the whole input; the share is nil unless a question is slow and the side decided.
func (j *Judgement) side() (Side, *float64) {
	if !j.judgeable() {
		return SideUndecided, nil
	}
	var inside, outside time.Duration
	for _, s := range j.slow {
		if !s.doubtful {
			inside += max(s.inside, 0)
			outside += max(s.outside, 0)
		}
	}
	if len(j.slow) > 0 {
		side, share := sideOf(inside, outside)
		if side == SideUndecided {
			return side, nil
		}
		return side, &share
	}
	if len(j.standing) == 0 {
		return SideNone, nil
	}
	for _, s := range j.standing {
		inside += s.inside
		outside += s.outside
	}
	side, _ := sideOf(inside, outside)
	return side, nil
}
