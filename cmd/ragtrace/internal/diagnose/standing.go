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
		// The first of them has to connect.
		j.stands(g, g.ok[1:], func(q *Question) (string, bool) {
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
	costs := func(q *Question) (inside, outside time.Duration) {
		for _, c := range components {
			switch {
			case c == hidden:
				outside += q.Components[LLMDecode]
			case c.InsideLLM():
				inside += q.Components[c]
			default:
				outside += q.Components[c]
			}
		}
		return inside, outside
	}
	sharers := make(map[string][]*Question)
	total := 0
	var s standing
	for _, q := range questions {
		name, ok := shared(q)
		if !ok {
			continue
		}
		total++
		sharers[name] = append(sharers[name], q)
		inside, outside := costs(q)
		s.inside += inside
		s.outside += outside
	}
	if 2*total <= len(questions) {
		return false
	}
	s.cause = causeLLMLoad // unless most have a finer name
	for name, list := range sharers {
		if 2*len(list) > total {
			s.cause = name
		}
	}
	for _, q := range sharers[s.cause] {
		inside, outside := costs(q)
		j.witness(s.cause, inside+outside, j.standingEvidence(g, s.cause, q))
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
func (j *judge) standingEvidence(g *group, cause string, q *Question) *evidence {
	switch cause {
	case causeLLMLoad, causeSharedLoad, causeEviction, causeKeepAlive, causeReload:
		_, e := j.loadCause(g, q)
		return e
	}
	return &evidence{question: q}
}
