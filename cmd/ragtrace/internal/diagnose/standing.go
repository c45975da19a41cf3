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

func (j *judge) findStanding() {
	for _, g := range j.groups {
		if len(g.ok) < minPeers {
			continue
		}
		evicted := false
		if g.evicts {
			evicted = j.stands(g, g.ok, func(q *Question) (string, bool) {
				return causeEviction, j.isCold(q, LLMLoad) && j.isCold(q, EmbedLoad)
			}, LLMLoad, EmbedLoad)
		}
		if !evicted {
			j.stands(g, g.ok, func(q *Question) (string, bool) {
				if !j.isCold(q, LLMLoad) {
					return "", false
				}
				cause, _ := j.loadCause(g, q)
				return cause, true
			}, LLMLoad)
			j.stands(g, g.ok, func(q *Question) (string, bool) { return causeEmbedLoad, j.isCold(q, EmbedLoad) }, EmbedLoad)
		}
		// The first question has to connect.
		rest := slices.DeleteFunc(slices.Clone(g.ok), func(q *Question) bool { return q == g.all[0] })
		j.stands(g, rest, func(q *Question) (string, bool) {
			return causeNotReused, q.Components[Connect] >= newConnect
		}, Connect)
		j.stands(g, g.ok, func(q *Question) (string, bool) { return causeBuffering, q.HeldBack == HeldByGateway }, hidden)
		j.stands(g, g.ok, func(q *Question) (string, bool) { return causeNoStreaming, q.HeldBack == HeldByApp }, hidden)
	}
	slices.SortStableFunc(j.standing, func(a, b standing) int {
		return cmp.Or(cmp.Compare(b.time(), a.time()), cmp.Compare(a.cause, b.cause))
	})
}

// hidden stands for decoding that the user could not see: time that nothing inside the LLM is to blame for.
const hidden = numComponents

// stands records a cost that more than half of the questions share; shared names it for a question that does.
func (j *judge) stands(g *group, questions []*Question, shared func(*Question) (string, bool), components ...Component) bool {
	names := make(map[string]int)
	total := 0
	var s standing
	var worst *Question
	var most time.Duration
	for _, q := range questions {
		name, ok := shared(q)
		if !ok {
			continue
		}
		total++
		names[name]++
		var cost time.Duration
		for _, c := range components {
			switch {
			case c == hidden:
				cost += q.Components[LLMDecode]
				s.outside += q.Components[LLMDecode]
			case c.InsideLLM():
				cost += q.Components[c]
				s.inside += q.Components[c]
			default:
				cost += q.Components[c]
				s.outside += q.Components[c]
			}
		}
		if worst == nil || cost > most {
			worst, most = q, cost
		}
	}
	if 2*total <= len(questions) {
		return false
	}
	s.cause = causeLLMLoad
	for name, n := range names {
		if 2*n > total {
			s.cause = name
		}
	}
	j.witness(s.cause, most, j.standingEvidence(g, s.cause, worst))
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

// standingEvidence is the worst question, and for a load what came before it.
func (j *judge) standingEvidence(g *group, cause string, worst *Question) *evidence {
	switch cause {
	case causeLLMLoad, causeSharedLoad, causeEviction, causeKeepAlive, causeReload:
		_, e := j.loadCause(g, worst)
		return e
	}
	return &evidence{question: worst}
}
