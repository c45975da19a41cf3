package diagnose

// findEvictions finds the groups in which embedding and chat model push each other out of memory: at least two ok
// questions load both although the chat model should have been there still.
func (j *judge) findEvictions() {
	const enough = 2
	for _, g := range j.groups {
		evicted := 0
		for _, q := range g.ok {
			if !j.isCold(q, LLMLoad) || !j.isCold(q, EmbedLoad) {
				continue
			}
			c := q.loadCall()
			if c == nil {
				continue
			}
			if last := j.uses.before(c, c.Start); last != nil && last.kept(c.Start) {
				evicted++
			}
		}
		g.evicts = evicted >= enough
	}
}

// loadCause is the finest name for a cold load of the LLM, with what shows it.
func (j *judge) loadCause(g *group, q *Question) (string, *evidence) {
	c := q.loadCall()
	e := &evidence{question: q, call: c}
	if c == nil {
		return causeLLMLoad, e
	}
	if other := j.loads.before(c, c.LoadStart); other != nil && other.latestEnd > c.LoadStart {
		e.other = other.question
		return causeSharedLoad, e
	}
	e.last = j.uses.before(c, c.Start)
	if g.evicts && j.isCold(q, EmbedLoad) {
		return causeEviction, e
	}
	if e.last != nil && !e.last.kept(c.Start) {
		e.idle = e.last.idle(c.Start)
		return causeKeepAlive, e
	}
	if e.last != nil && c.NumCtx != 0 && e.last.call.NumCtx != 0 && c.NumCtx != e.last.call.NumCtx {
		return causeReload, e
	}
	return causeLLMLoad, e
}
