package diagnose

import "sync"

// PartOf is a part of questions that are there.
func PartOf(questions []*Question) Part {
	var texts interning
	p := Part{}
	p.N[OfQuestions] = len(questions)
	for _, q := range questions {
		p.N[OfFlags] += len(q.Flags)
		p.N[OfCalls] += len(q.Calls)
	}
	var columns [NumColumns][]int64 // of texts
	for c := range NumColumns {
		if !c.IsText() {
			continue
		}
		columns[c] = make([]int64, 0, p.N[c.Domain()])
		texts.last = ""
		texts.lastID = -1
		for _, q := range questions {
			switch c.Domain() {
			case OfQuestions:
				columns[c] = append(columns[c], texts.id(*textOf(c, q)))
			case OfFlags:
				for _, flag := range q.Flags {
					columns[c] = append(columns[c], texts.id(flag))
				}
			case OfCalls:
				for i := range q.Calls {
					columns[c] = append(columns[c], texts.id(*callTextOf(c, &q.Calls[i])))
				}
			}
		}
	}
	p.Texts = texts.list
	p.Append = func(c Column, to []int64) []int64 {
		switch {
		case c.IsText():
			return append(to, columns[c]...)
		case c.Domain() == OfQuestions:
			for _, q := range questions {
				to = append(to, numberIn(c, q))
			}
		default:
			for _, q := range questions {
				for i := range q.Calls {
					to = append(to, callNumberIn(c, &q.Calls[i], q.Start))
				}
			}
		}
		return to
	}
	calls := sync.OnceValue(func() []callAt { return callsOf(questions) })
	p.At = func(c Column, i int) int64 {
		switch {
		case c.IsText():
			return columns[c][i]
		case c.Domain() == OfQuestions:
			return numberIn(c, questions[i])
		}
		call := calls()[i]
		return callNumberIn(c, call.call, call.start)
	}
	p.Constant = func(c Column) (v int64, ok bool) {
		if len(questions) > fewQuestions || len(questions) == 0 || c.Domain() != OfQuestions || c.IsText() {
			return 0, false
		}
		return constantOf(p.Append(c, nil))
	}
	return p
}

// A callAt is a call and when its question started.
type callAt struct {
	call  *Call
	start int64
}

func callsOf(questions []*Question) (calls []callAt) {
	for _, q := range questions {
		for i := range q.Calls {
			calls = append(calls, callAt{&q.Calls[i], q.Start})
		}
	}
	return calls
}

// fewQuestions is up to how many it costs little to look whether a column is constant.
const fewQuestions = 4096

// constantOf is what all of the values are.
func constantOf(values []int64) (v int64, ok bool) {
	for i, x := range values {
		if i > 0 && x != values[0] {
			return 0, false
		}
	}
	return values[0], true
}

// interning gives each text a number. The same one often comes again at once.
type interning struct {
	ids    map[string]int64
	list   []string
	last   string
	lastID int64
}

func (in *interning) id(s string) int64 {
	if s == in.last && in.lastID >= 0 {
		return in.lastID
	}
	id, known := in.ids[s]
	if !known {
		if in.ids == nil {
			in.ids = make(map[string]int64)
		}
		id = int64(len(in.list))
		in.ids[s] = id
		in.list = append(in.list, s)
	}
	in.last, in.lastID = s, id
	return id
}

// Sound reports whether the numbers of a part that was read from somewhere are such as it may have: that texts are there, and
// that there are as many flags and calls as the questions have.
func (p *Part) Sound() bool {
	var values []int64
	sum := func(c Column, want int) bool {
		values = p.Append(c, values[:0])
		var n int64
		for _, v := range values {
			if v < 0 || v > int64(want) {
				return false
			}
			n += v
		}
		return n == int64(want)
	}
	if !sum(colFlags, p.N[OfFlags]) || !sum(colCalls, p.N[OfCalls]) {
		return false
	}
	for c := range NumColumns {
		if !c.IsText() {
			continue
		}
		values = p.Append(c, values[:0])
		for _, v := range values {
			if v < 0 || v >= int64(len(p.Texts)) {
				return false
			}
		}
	}
	return true
}
