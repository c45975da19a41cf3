package diagnose

import (
	"cmp"
	"slices"
	"time"
)

// A standing cost is one that more than half of a group's ok questions share, so that none of them stands out by it.
type standing struct {
	cause           string
	inside, outside time.Duration // summed over the questions that share it
}

func (s standing) time() time.Duration { return s.inside + s.outside }

func (j *Judgement) findStanding() {
	always := func(cause string, is func(row int) bool) func(row int) (string, bool) {
		return func(row int) (string, bool) { return cause, is(row) }
	}
	coldly := func(c Component) func(row int) bool { return func(row int) bool { return j.isCold(row, c) } }
	held := func(by HeldBack) func(row int) bool { return j.t.is(colHeldBack, string(by)) }
	connects := j.t.component(Connect)
	for _, g := range j.groups {
		if len(g.ok) < minPeers {
			continue
		}
		var coldOK []int32
		for _, row := range g.cold {
			if j.t.isOK(int(row)) {
				coldOK = append(coldOK, row)
			}
		}
		evicted := g.evicts && j.stands(g, coldOK, len(g.ok), always(causeEviction, func(row int) bool {
			return j.isCold(row, LLMLoad) && j.isCold(row, EmbedLoad)
		}), LLMLoad, EmbedLoad)
		if !evicted {
			j.stands(g, coldOK, len(g.ok), func(row int) (string, bool) {
				if !j.isCold(row, LLMLoad) {
					return "", false
				}
				cause, _ := j.loadCause(g, row)
				return cause, true
			}, LLMLoad)
			j.stands(g, coldOK, len(g.ok), always(causeEmbedLoad, coldly(EmbedLoad)), EmbedLoad)
		}
		// The first of them has to connect.
		j.stands(g, g.ok[1:], len(g.ok)-1, always(causeNotReused, func(row int) bool {
			return connects[row] >= int64(newConnect)
		}), Connect)
		j.stands(g, g.ok, len(g.ok), always(causeBuffering, held(HeldByGateway)), hidden)
		j.stands(g, g.ok, len(g.ok), always(causeNoStreaming, held(HeldByApp)), hidden)
	}
	slices.SortStableFunc(j.standing, func(a, b standing) int {
		return cmp.Or(cmp.Compare(b.time(), a.time()), cmp.Compare(a.cause, b.cause))
	})
}

// hidden stands for decoding that the user could not see: time that nothing inside the LLM is to blame for.
const hidden = numComponents

// stands records a cost that more than half of so many questions share. candidates are the rows of those that may; shared
// names it for a row that does.
func (j *Judgement) stands(g *group, candidates []int32, of int, shared func(row int) (string, bool), components ...Component) bool {
	costs := func(row int) (inside, outside time.Duration) {
		for _, c := range components {
			switch {
			case c == hidden:
				outside += time.Duration(j.t.component(LLMDecode)[row])
			case c.InsideLLM():
				inside += time.Duration(j.t.component(c)[row])
			default:
				outside += time.Duration(j.t.component(c)[row])
			}
		}
		return inside, outside
	}
	sharers := make(map[string][]int)
	total := 0
	var s standing
	for i, candidate := range candidates {
		if 2*(total+len(candidates)-i) <= of {
			return false
		}
		row := int(candidate)
		name, ok := shared(row)
		if !ok {
			continue
		}
		total++
		sharers[name] = append(sharers[name], row)
		inside, outside := costs(row)
		s.inside += inside
		s.outside += outside
	}
	if 2*total <= of {
		return false
	}
	s.cause = causeLLMLoad // unless most have a finer name
	for name, list := range sharers {
		if 2*len(list) > total {
			s.cause = name
		}
	}
	for _, row := range sharers[s.cause] {
		inside, outside := costs(row)
		j.witness(s.cause, inside+outside, j.standingEvidence(g, s.cause, row))
	}
	for i := range j.standing {
		if j.standing[i].cause == s.cause {
			j.standing[i].inside += s.inside
			j.standing[i].outside += s.outside
			return true
		}
	}
	j.standing = append(j.standing, s)
	return true
}

// standingEvidence is a question that shares a cost, and for a load what came before it.
func (j *Judgement) standingEvidence(g *group, cause string, row int) *evidence {
	switch cause {
	case causeLLMLoad, causeSharedLoad, causeEviction, causeKeepAlive, causeReload:
		_, e := j.loadCause(g, row)
		return e
	}
	return &evidence{row: row}
}
