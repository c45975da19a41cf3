package diagnose

import (
	"encoding/binary"
	"sync"
	"time"
)

// A Cursor reads questions of a table one after another into the same memory.
type Cursor struct {
	t *Table
	q Question
	m memory
}

// memory is where the lists of questions lie.
type memory struct {
	flags     slab[string]
	calls     slab[Call]
	durations slab[time.Duration]
}

// NewCursor makes a cursor. It reads all columns, for many questions to be read.
func (t *Table) NewCursor() *Cursor {
	t.readAll()
	return &Cursor{t: t}
}

// readAll reads all columns that are not read yet.
func (t *Table) readAll() {
	if t.given.Load() == nil {
		t.readAhead(allColumns)
	}
}

// At is the question of a row, until the next call.
func (c *Cursor) At(row int) *Question {
	if given := c.t.given.Load(); given != nil {
		return (*given)[row]
	}
	c.m.flags.empty()
	c.m.calls.empty()
	c.m.durations.empty()
	c.t.fill(&c.q, row, &c.m)
	return &c.q
}

// Question is the question of a row.
func (t *Table) Question(row int) *Question {
	if given := t.given.Load(); given != nil {
		return (*given)[row]
	}
	if q, ok := t.made.Load(row); ok {
		return q.(*Question)
	}
	var m memory
	m.flags.size, m.calls.size, m.durations.size = 1, 1, 1
	q := new(Question)
	t.fill(q, row, &m)
	made, _ := t.made.LoadOrStore(row, q)
	return made.(*Question)
}

// have has all questions there.
func (t *Table) have() {
	if t.given.Load() != nil {
		return
	}
	all := t.Questions()
	given := make([]*Question, len(all))
	for row := range all {
		given[row] = &all[row]
	}
	t.given.CompareAndSwap(nil, &given)
}

// Questions are all questions, by start.
func (t *Table) Questions() []Question {
	if given := t.given.Load(); given != nil {
		all := make([]Question, t.n)
		for row, q := range *given {
			all[row] = *q
		}
		return all
	}
	t.readAll()
	all := make([]Question, t.n)
	var sharing sync.WaitGroup
	for half := range halves {
		sharing.Go(func() {
			var m memory
			for row := half * t.n / halves; row < (half+1)*t.n/halves; row++ {
				t.fill(&all[row], row, &m)
			}
		})
	}
	sharing.Wait()
	return all
}

// fill reads a row into q.
func (t *Table) fill(q *Question, row int, m *memory) {
	at := func(c Column) int64 { return t.at(c, row) }
	bits := at(colBits)
	q.Start = at(colStart)
	q.End = q.Start + at(colE2E)
	q.Number = int(at(colNumber))
	q.TTFT = time.Duration(at(colTTFT))
	q.FirstByte = nil
	if bits&hasFirstByte != 0 {
		q.FirstByte = m.duration(at(colFirstByte))
	}
	q.Stages = uint32(at(colStages))
	q.TraceID = t.traceID(row)
	binary.BigEndian.PutUint64(q.RootID[:], uint64(at(colRoot)))
	for c := colSession; c <= colHeldBack; c++ {
		*textOf(c, q) = t.textAt(c, row)
	}
	for i := range q.Components {
		q.Components[i] = time.Duration(at(colComponent + Column(i)))
	}
	q.Flags = nil
	if bits&hasFlags != 0 {
		first := int(t.firstFlag()[row])
		q.Flags = m.flags.take(int(at(colFlags)))
		for i := range q.Flags {
			q.Flags[i] = t.textAt(colFlag, first+i)
		}
	}
	q.Calls = nil
	if bits&hasCalls != 0 {
		first, end := t.calls(row)
		q.Calls = m.calls.take(end - first)
		for i := range q.Calls {
			t.fillCall(&q.Calls[i], first+i, q.Start, m)
		}
	}
}

// duration is memory that holds a duration.
func (m *memory) duration(v int64) *time.Duration {
	d := &m.durations.take(1)[0]
	*d = time.Duration(v)
	return d
}

// fillCall reads a call of a question that began at start.
func (t *Table) fillCall(call *Call, i int, start int64, m *memory) {
	at := func(c Column) int64 { return t.at(c, i) }
	bits := at(colCallBits)
	call.Failed, call.KeepAliveSent = bits&callFailed != 0, bits&callKeepAliveSent != 0
	call.Start = start + at(colCallStart)
	call.End = call.Start + at(colCallTime)
	call.KeepAlive = time.Duration(at(colKeepAlive))
	call.NumCtx = at(colNumCtx)
	call.Input, call.Output, call.Cached = at(colInput), at(colOutput), at(colCached)
	call.LoadStart, call.LoadEnd = 0, 0
	if bits&callLoads != 0 {
		call.LoadStart = start + at(colLoadStart)
		call.LoadEnd = call.LoadStart + at(colLoadTime)
	}
	for c := colModel; c <= colServer; c++ {
		*callTextOf(c, call) = t.textAt(c, i)
	}
	for p, d := range paces(call) {
		*d = nil
		if bits&(callPaced<<p) != 0 {
			*d = m.duration(at(colPace + Column(p)))
		}
	}
}
