package diagnose

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Judge compares questions with their peers, which are those of the same service and pipeline over all sessions. It does
// not change them.
func Judge(questions []Question) Report { return JudgeChosen(questions, nil) }

// JudgeChosen judges as Judge does, all questions being peers, and lists all of them, but its verdict tells only of slow
// questions that are chosen. nil chooses all.
func JudgeChosen(questions []Question, chosen func(*Result) bool) Report {
	j := assemble(questions)
	j.chosen = chosen
	j.colds()
	j.findEvictions()
	j.findSlow()
	j.findStanding()
	return j.report()
}

// A judge is one judgement in the making.
type judge struct {
	questions []*Question       // by start
	places    map[*Question]int // in its session, of a question that its spans give no number
	groups    []*group
	byPeers   map[peers]*group
	firstOf   map[service]*Question // of each process, the first question
	uses      uses
	loads     uses // cold loads of the LLM, by model
	cold      map[*Question][]Cold
	chosen    func(*Result) bool // nil: all
	scratch   slabs              // of results that are looked at once
	slow      []slowQuestion     // that are chosen, worst first
	standing  []standing         // largest first
	evidence  map[string]*evidence
}

// assemble numbers the questions and puts them into groups.
func assemble(questions []Question) *judge {
	j := &judge{
		byPeers: make(map[peers]*group), firstOf: make(map[service]*Question),
		cold: make(map[*Question][]Cold), evidence: make(map[string]*evidence),
	}
	j.questions = make([]*Question, len(questions))
	for i := range questions {
		j.questions[i] = &questions[i]
	}
	slices.SortFunc(j.questions, byStart)

	var sharing sync.WaitGroup
	defer sharing.Wait()
	sharing.Go(func() { j.uses = usesOf(j.questions) })
	j.places = placesOf(j.questions)
	for _, q := range j.questions {
		if !q.Timed() {
			continue
		}
		g := j.byPeers[q.peers()]
		if g == nil {
			g = &group{}
			j.byPeers[q.peers()] = g
			j.groups = append(j.groups, g)
		}
		g.all = append(g.all, q)
		if q.Status == StatusOK {
			g.ok = append(g.ok, q)
		}
		if process := (service{q.Service, q.Instance}); j.firstOf[process] == nil {
			j.firstOf[process] = q
		}
	}
	return j
}

// peers are what questions have in common that are compared with each other.
type peers struct{ service, pipeline string }

func (q *Question) peers() peers { return peers{q.Service, q.Pipeline} }

// number is the question's number: as its spans give it, else its place in its session.
func (j *judge) number(q *Question) int {
	if q.Number != 0 {
		return q.Number
	}
	return j.places[q]
}

// judgeable reports whether any group has enough ok questions to compare.
func (j *judge) judgeable() bool {
	return slices.ContainsFunc(j.groups, func(g *group) bool { return len(g.ok) >= minPeers })
}

// A slowQuestion is one that took far longer than its peers.
type slowQuestion struct {
	*Question
	group           *group
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

func (j *judge) findSlow() {
	for _, g := range j.groups {
		if len(g.ok) < minPeers {
			continue
		}
		sampled := len(g.ok) < manyPeers
		for _, q := range g.ok {
			median, _ := g.othersMedian(qE2E, q)
			e2e := float64(q.E2E())
			if !(e2e > slowTimes*median && e2e-median > float64(slowOver)) || !j.chooses(q) {
				continue
			}
			if !sampled { // its causes need them all
				g.sampleAll()
				sampled = true
			}
			s := slowQuestion{
				Question: q, group: g, baseline: time.Duration(median), over: time.Duration(e2e - median),
				inside: g.excess(qInside, q), outside: g.excess(qOutside, q),
				doubtful: q.HasFlag(FlagPartsExceedWhole),
			}
			if !s.doubtful {
				s.causes = j.causes(&s)
			}
			j.slow = append(j.slow, s)
		}
	}
	slices.SortStableFunc(j.slow, func(a, b slowQuestion) int {
		return cmp.Or(cmp.Compare(b.over, a.over), byStart(a.Question, b.Question))
	})
}

// chooses reports whether the verdict is to tell of a question.
func (j *judge) chooses(q *Question) bool {
	if j.chosen == nil {
		return true
	}
	r := j.result(q, &j.scratch)
	return j.chosen(&r)
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
func (j *judge) side() (Side, *float64) {
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
