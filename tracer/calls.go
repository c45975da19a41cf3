package tracer

// interrupt notes that a part of the question was cut short because nobody waited for it any more.
func (q *Question) interrupt() {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.interrupted = true
}

// adopt makes the question end c at the latest when it ends itself. It reports false when there is no such question.
func (q *Question) adopt(c *call) bool {
	if q == nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return false
	}
	c.place = len(q.calls)
	q.calls = append(q.calls, c)
	return true
}

func (q *Question) release(c *call) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.place >= len(q.calls) || q.calls[c.place] != c {
		return
	}
	last := len(q.calls) - 1
	q.calls[c.place] = q.calls[last]
	q.calls[c.place].place = c.place
	q.calls[last] = nil
	q.calls = q.calls[:last]
}
