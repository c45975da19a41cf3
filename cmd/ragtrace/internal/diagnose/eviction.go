package diagnose

// findEvictions finds the groups in which embedding and chat model push each other out of memory: at least two ok
// questions load both although the chat model should have been there still.
func (j *Judgement) findEvictions() {
	const enough = 2
	for _, g := range j.groups {
		evicted := 0
		for _, cold := range g.cold {
			row := int(cold)
			if !j.t.isOK(row) || !j.isCold(row, LLMLoad) || !j.isCold(row, EmbedLoad) {
				continue
			}
			l, ok := j.t.loadOf(row)
			if !ok {
				continue
			}
			if last := j.uses().before(l.call, l.called); last != nil && j.uses().kept(last, l.called) {
				evicted++
			}
		}
		g.evicts = evicted >= enough
	}
}

// loadCause is the finest name for a cold load of the LLM, with what shows it.
func (j *Judgement) loadCause(g *group, row int) (string, *evidence) {
	l, ok := j.t.loadOf(row)
	e := &evidence{row: row, call: l.call, called: ok}
	if !ok {
		return causeLLMLoad, e
	}
	if other := j.loads.before(l.call, l.start); other != nil && other.latestEnd > l.start {
		e.other = int(other.row)
		return causeSharedLoad, e
	}
	e.last = j.uses().before(l.call, l.called)
	if g.evicts && j.isCold(row, EmbedLoad) {
		return causeEviction, e
	}
	if e.last != nil && !j.uses().kept(e.last, l.called) {
		e.idle = e.last.idle(l.called)
		return causeKeepAlive, e
	}
	if e.last != nil {
		contexts := j.t.column(colNumCtx)
		if now, last := contexts[l.call], contexts[e.last.call]; now != 0 && last != 0 && now != last {
			return causeReload, e
		}
	}
	return causeLLMLoad, e
}
