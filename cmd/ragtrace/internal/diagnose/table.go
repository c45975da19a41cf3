package diagnose

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// A Table is questions column by column, by start: what is compared of many is a few of their numbers, and reading those
// alone takes a tenth of the time that reading the questions takes. Columns are read when they are first asked for. A row is a
// question's place in the table. Its methods may be called at the same time.
type Table struct {
	parts []Part
	rows  []int32 // by start, the place of a question in the parts; nil when they lie in that order
	n     int
	texts []string
	known map[string]int64  // places in texts
	local [][]int64         // by part, the places of its texts in texts
	ends  [NumDomains][]int // by part, how many there are in it and those before it

	columns   [NumColumns]atomic.Pointer[[]int64]
	loading   [NumColumns]sync.Mutex
	firstFlag func() []int32 // by row
	firstCall func() []int32
	numbered  func() []int64
	given     atomic.Pointer[[]*Question] // by row; nil when the questions are not there
	made      sync.Map                    // *Question by row
}

// halves is how many goroutines share work on many questions.
const halves = 2

// A Part is some questions of a table.
type Part struct {
	N     [NumDomains]int // how many questions, flags and calls
	Texts []string        // what the numbers of text columns stand for

	// Append appends the numbers of a column, and At is one of them. They may be called at the same time.
	Append func(c Column, to []int64) []int64
	At     func(c Column, i int) int64
	// Constant tells that all numbers of a column of questions, which is no text, are one; nil when nobody knows.
	Constant func(c Column) (v int64, ok bool)
	// Left, unless it is nil, tells of questions that the table is to leave out.
	Left func(i int) bool
}

// NewTable puts parts together.
func NewTable(parts []Part) *Table {
	t := &Table{parts: parts, known: make(map[string]int64)}
	leaves := false
	for i := range parts {
		p := &parts[i]
		t.n += p.N[OfQuestions]
		for of := range NumDomains {
			before := 0
			if i > 0 {
				before = t.ends[of][i-1]
			}
			t.ends[of] = append(t.ends[of], before+p.N[of])
		}
		local := make([]int64, len(p.Texts))
		for j, text := range p.Texts {
			local[j] = t.text(text)
		}
		t.local = append(t.local, local)
		leaves = leaves || p.Left != nil
	}
	t.firstFlag = sync.OnceValue(func() []int32 { return t.places(colFlags) })
	t.firstCall = sync.OnceValue(func() []int32 { return t.places(colCalls) })
	t.numbered = sync.OnceValue(t.number)
	if leaves {
		t.leaveOut()
	}
	t.order()
	return t
}

// TableOf is a table of questions that are there. It does not change them.
func TableOf(questions []Question) *Table {
	given := make([]*Question, len(questions))
	for i := range questions {
		given[i] = &questions[i]
	}
	slices.SortFunc(given, byStart)
	t := NewTable([]Part{PartOf(given)})
	t.given.Store(&given)
	return t
}

// text is the place of a text.
func (t *Table) text(s string) int64 {
	id, known := t.known[s]
	if !known {
		id = int64(len(t.texts))
		t.known[s] = id
		t.texts = append(t.texts, s)
	}
	return id
}

// textID is the place of a text; -1 when it does not occur.
func (t *Table) textID(s string) int64 {
	if id, known := t.known[s]; known {
		return id
	}
	return -1
}

// Len is how many questions there are.
func (t *Table) Len() int { return t.n }

// column is the numbers of c, those of questions by row.
func (t *Table) column(c Column) []int64 {
	if have := t.columns[c].Load(); have != nil {
		return *have
	}
	t.loading[c].Lock()
	defer t.loading[c].Unlock()
	if have := t.columns[c].Load(); have != nil {
		return *have
	}
	values := t.read(c)
	if t.rows != nil && c.Domain() == OfQuestions {
		byRow := make([]int64, len(t.rows))
		for row, at := range t.rows {
			byRow[row] = values[at]
		}
		values = byRow
	}
	t.columns[c].Store(&values)
	return values
}

// readAhead reads columns that will be asked for.
func (t *Table) readAhead(columns []Column) {
	var sharing sync.WaitGroup
	for half := range halves {
		sharing.Go(func() {
			for i := half; i < len(columns); i += halves {
				t.column(columns[i])
			}
		})
	}
	sharing.Wait()
}

// judgedColumns are those that every judgement asks for.
var judgedColumns = []Column{
	colStatus, colService, colPipeline, colInstance, colSession, colE2E, colStages, colHeldBack,
	colComponent + Column(LLMLoad), colComponent + Column(EmbedLoad), colComponent + Column(Connect),
}

var allColumns = func() (all []Column) {
	for c := range NumColumns {
		all = append(all, c)
	}
	return all
}()

// read is the numbers of c in the order of the parts.
func (t *Table) read(c Column) []int64 {
	n := 0
	for i := range t.parts {
		n += t.parts[i].N[c.Domain()]
	}
	values := make([]int64, 0, n)
	for i := range t.parts {
		first := len(values)
		values = t.parts[i].Append(c, values)
		if c.IsText() {
			local := t.local[i]
			for j := first; j < len(values); j++ {
				values[j] = local[values[j]]
			}
		}
	}
	return values
}

// at is a number of c, of questions by row, without reading the whole column for it.
func (t *Table) at(c Column, i int) int64 {
	if have := t.columns[c].Load(); have != nil {
		return (*have)[i]
	}
	if t.rows != nil && c.Domain() == OfQuestions {
		i = int(t.rows[i])
	}
	ends := t.ends[c.Domain()]
	p, _ := slices.BinarySearch(ends, i+1)
	v := t.parts[p].At(c, i-(ends[p]-t.parts[p].N[c.Domain()]))
	if c.IsText() {
		v = t.local[p][v]
	}
	return v
}

// constant is the number that a column of questions, which is no text, has everywhere; ok is false when there is none, or nobody
// knows.
func (t *Table) constant(c Column) (v int64, ok bool) {
	for i := range t.parts {
		p := &t.parts[i]
		if p.N[OfQuestions] == 0 {
			continue
		}
		if p.Constant == nil {
			return 0, false
		}
		here, is := p.Constant(c)
		if !is || ok && here != v {
			return 0, false
		}
		v, ok = here, true
	}
	return v, ok
}

// leaveOut chooses the rows.
func (t *Table) leaveOut() {
	t.rows = make([]int32, 0, t.n)
	first := 0
	for i := range t.parts {
		p := &t.parts[i]
		for j := range p.N[OfQuestions] {
			if p.Left == nil || !p.Left(j) {
				t.rows = append(t.rows, int32(first+j))
			}
		}
		first += p.N[OfQuestions]
	}
	t.n = len(t.rows)
}

// order puts the rows in the order of byStart, in which they mostly are.
func (t *Table) order() {
	starts := t.column(colStart)
	ordered := true
	for row := 1; row < t.n && ordered; row++ {
		ordered = starts[row-1] < starts[row] || starts[row-1] == starts[row] && t.compare(row-1, row) <= 0
	}
	if ordered {
		return
	}
	type started struct {
		at  int64
		row int32
	}
	by := make([]started, t.n)
	for i := range by {
		by[i] = started{starts[i], int32(i)}
	}
	slices.SortFunc(by, func(a, b started) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return t.compare(int(a.row), int(b.row))
	})
	rows := make([]int32, t.n)
	for row, q := range by {
		rows[row] = q.row
		if t.rows != nil {
			rows[row] = t.rows[q.row]
		}
	}
	t.rows = rows
	for c := range NumColumns {
		t.columns[c].Store(nil)
	}
}

// compare is byStart of two rows.
func (t *Table) compare(a, b int) int {
	if order := cmp.Compare(t.column(colStart)[a], t.column(colStart)[b]); order != 0 {
		return order
	}
	for _, c := range []Column{colTraceHigh, colTraceLow, colRoot} {
		if order := cmp.Compare(uint64(t.column(c)[a]), uint64(t.column(c)[b])); order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(t.textAt(colSession, a), t.textAt(colSession, b)), cmp.Compare(t.column(colNumber)[a], t.column(colNumber)[b]))
}

// places are where the flags or calls of each row begin; counts is the column that counts them.
func (t *Table) places(counts Column) []int32 {
	var all []int64 // in the order of the parts
	if t.rows == nil {
		all = t.column(counts)
	} else {
		all = t.read(counts)
	}
	at := int32(0)
	first := make([]int32, len(all))
	for i, n := range all {
		first[i] = at
		at += int32(n)
	}
	if t.rows == nil {
		return first
	}
	byRow := make([]int32, len(t.rows))
	for row, i := range t.rows {
		byRow[row] = first[i]
	}
	return byRow
}

// calls are where the calls of a row begin and end.
func (t *Table) calls(row int) (first, end int) {
	first = int(t.firstCall()[row])
	return first, first + int(t.at(colCalls, row))
}

func (t *Table) textAt(c Column, i int) string { return t.texts[t.at(c, i)] }

// timed reports whether the times of a row's question are known.
func (t *Table) timed(row int) bool { return t.column(colStart)[row] != 0 }

func (t *Table) component(c Component) []int64 { return t.column(colComponent + Column(c)) }

func (t *Table) has(row int, c Component) bool { return t.column(colStages)[row]&(1<<c) != 0 }

// number is the number of every row's question: as its spans give it, else its place in its session. That depends on all
// questions, so all that are known are in the table, whatever is then asked of it.
func (t *Table) number() []int64 {
	numbers := slices.Clone(t.column(colNumber))
	sessions := t.column(colSession)
	asked := make([]int64, len(t.texts))
	for row := range numbers {
		if t.timed(row) {
			asked[sessions[row]]++
		}
		if numbers[row] == 0 {
			numbers[row] = asked[sessions[row]]
		}
	}
	return numbers
}

// Number is the number of a row's question in its session.
func (t *Table) Number(row int) int { return int(t.numbered()[row]) }

// Session is the session of a row's question; "" for none.
func (t *Table) Session(row int) string { return t.textAt(colSession, row) }

// Service is the service of a row's question.
func (t *Table) Service(row int) string { return t.textAt(colService, row) }

// Start is when a row's question started, in Unix nanoseconds; 0 when unknown.
func (t *Table) Start(row int) int64 { return t.column(colStart)[row] }

// AnsweredBy is the provider and the model of the last call that did not fail, which is the one that answers; of the last
// one when all failed.
func (t *Table) AnsweredBy(row int) (provider, model string) {
	call := t.answering(row)
	if call < 0 {
		return "", ""
	}
	return t.textAt(colProvider, call), t.textAt(colModel, call)
}

// answering is the call of AnsweredBy; -1 without any.
func (t *Table) answering(row int) int {
	first, end := t.calls(row)
	bits := t.column(colCallBits)
	for i := end - 1; i >= first; i-- {
		if bits[i]&callFailed == 0 {
			return i
		}
	}
	if first == end {
		return -1
	}
	return end - 1
}

// SessionIs tells which questions are of a session.
func (t *Table) SessionIs(name string) func(row int) bool { return t.is(colSession, name) }

// ServiceIs tells which questions are of a service.
func (t *Table) ServiceIs(name string) func(row int) bool { return t.is(colService, name) }

// AnsweredByModel tells which questions a model answered, as of AnsweredBy.
func (t *Table) AnsweredByModel(name string) func(row int) bool {
	is := t.is(colModel, name)
	return func(row int) bool {
		call := t.answering(row)
		return call >= 0 && is(call)
	}
}

// is tells where a column has a text.
func (t *Table) is(c Column, text string) func(i int) bool {
	id, column := t.textID(text), t.column(c)
	return func(i int) bool { return column[i] == id }
}
