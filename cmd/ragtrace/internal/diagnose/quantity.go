package diagnose

import (
	"slices"
	"sync"
)

// A quantity is a number that questions are compared by. The components are the first of them, in nanoseconds.
type quantity int

const (
	qE2E quantity = quantity(numComponents) + iota
	qInside
	qOutside
	qLoads  // llm.load + embed.load
	qServed // llm.queue + llm.prefill + llm.decode + llm.other
	qGaps   // gap.start + gap
	qApp    // prepare + prompt
	qCalls  // LLM calls that did not fail
	qInput  // tokens, summed over those calls
	qOutput
	qCached
	qPerToken // nanoseconds of decode for each output token but the first

	numQuantities
)

// summed are the components that a quantity is the sum of; qOutside is the rest.
func (k quantity) summed() []Component {
	switch k {
	case qInside, qOutside:
		return insideLLM
	case qLoads:
		return loads
	case qServed:
		return served
	case qGaps:
		return gaps
	case qApp:
		return app
	}
	return nil
}

var (
	insideLLM = []Component{LLMDecode, LLMPrefill, LLMLoad, LLMQueue, LLMOther}
	loads     = []Component{LLMLoad, EmbedLoad}
	served    = []Component{LLMQueue, LLMPrefill, LLMDecode, LLMOther}
	gaps      = []Component{GapStart, Gap}
	app       = []Component{Prepare, Prompt}
)

// values appends the values of k in those of the rows that know it.
func (t *Table) values(k quantity, rows []int32, values []float64) []float64 {
	values = slices.Grow(values, len(rows))
	if k >= qCalls {
		for _, row := range rows {
			if v, ok := t.ofCalls(k, int(row)); ok {
				values = append(values, v)
			}
		}
		return values
	}
	memory := integers.Get().(*[2][]int64)
	defer integers.Put(memory)
	sums := memory[0][:0]
	switch {
	case k < quantity(numComponents):
		sums = t.gather(colComponent+Column(k), rows, sums)
	case k == qE2E:
		sums = t.gather(colE2E, rows, sums)
	default:
		sums = append(sums, make([]int64, len(rows))...)
		for _, c := range k.summed() {
			memory[1] = t.gather(colComponent+Column(c), rows, memory[1][:0])
			for i, v := range memory[1] {
				sums[i] += v
			}
		}
		if k == qOutside {
			memory[1] = t.gather(colE2E, rows, memory[1][:0])
			for i, v := range memory[1] {
				sums[i] = v - sums[i]
			}
		}
	}
	memory[0] = sums
	for _, v := range sums {
		values = append(values, float64(v))
	}
	return values
}

// integers is memory for the numbers of two columns.
var integers = sync.Pool{New: func() any { return new([2][]int64) }}

// gather appends the numbers of a column, which is no text, in rows. What is asked for once need not be kept: of most components a judgement wants
// no more than the middle.
func (t *Table) gather(c Column, rows []int32, to []int64) []int64 {
	if t.columns[c].Load() == nil && t.rows == nil && len(rows) == t.n {
		to = slices.Grow(to, t.n)
		for i := range t.parts {
			to = t.parts[i].Append(c, to)
		}
		return to
	}
	column := t.column(c)
	to = slices.Grow(to, len(rows))
	for _, row := range rows {
		to = append(to, column[row])
	}
	return to
}

// value is the value of k in a row; ok is false where it is unknown.
func (t *Table) value(k quantity, row int) (v float64, ok bool) {
	switch {
	case k < quantity(numComponents):
		return float64(t.at(colComponent+Column(k), row)), true
	case k == qE2E:
		return float64(t.at(colE2E, row)), true
	case k >= qCalls:
		return t.ofCalls(k, row)
	}
	var sum int64
	for _, c := range k.summed() {
		sum += t.at(colComponent+Column(c), row)
	}
	if k == qOutside {
		sum = t.at(colE2E, row) - sum
	}
	return float64(sum), true
}

// ofCalls is value for what the calls tell.
func (t *Table) ofCalls(k quantity, row int) (v float64, ok bool) {
	switch k {
	case qCalls:
		n := 0
		bits := t.column(colCallBits)
		first, end := t.calls(row)
		for i := first; i < end; i++ {
			if bits[i]&callFailed == 0 {
				n++
			}
		}
		return float64(n), true
	case qInput:
		return t.tokenSum(row, 0, colInput)
	case qOutput:
		return t.tokenSum(row, 0, colOutput)
	case qCached:
		return t.tokenSum(row, 0, colCached)
	}
	steps, ok := t.tokenSum(row, 1, colOutput)
	if !ok || steps <= 0 {
		return 0, false
	}
	return float64(t.at(colComponent+Column(LLMDecode), row)) / steps, true
}

// tokenSum adds up a count, less a number for each call, over the calls that did not fail. It is unknown when one of them
// does not tell.
func (t *Table) tokenSum(row int, less int64, count Column) (sum float64, ok bool) {
	bits, counts := t.column(colCallBits), t.column(count)
	first, end := t.calls(row)
	for i := first; i < end; i++ {
		if bits[i]&callFailed != 0 {
			continue
		}
		if counts[i] < 0 {
			return 0, false
		}
		sum += float64(max(counts[i]-less, 0))
		ok = true
	}
	return sum, ok
}
