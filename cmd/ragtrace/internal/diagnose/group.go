package diagnose

import (
	"sync"
	"time"
)

// A group is the questions of one service and pipeline over all sessions: the peers that a question is compared with.
// Questions are rows of the table.
type group struct {
	t    *Table
	all  []int32 // by start, whatever their status
	ok   []int32 // likewise
	cold []int32 // of all, those with a cold cost

	samples [numQuantities]lazySample // of the ok questions
	warm    [numComponents]lazySample // of those of them that are warm loads

	evicts bool // embedding and chat model push each other out
}

// minPeers is how many ok questions a group needs before any of them can be called slow.
const minPeers = 3

// A lazySample is made when it is first asked for.
type lazySample struct {
	once sync.Once
	is   *sample
}

// sample is the values of the ok questions that know k. It may be asked for at the same time.
func (g *group) sample(k quantity) *sample {
	s := &g.samples[k]
	s.once.Do(func() { s.is = g.makeSample(k) })
	return s.is
}

// scratch is memory for values.
var scratch = sync.Pool{New: func() any { return new([]float64) }}

func (g *group) makeSample(k quantity) *sample {
	if k < quantity(numComponents) {
		if v, ok := g.t.constant(colComponent + Column(k)); ok { // as of components that a pipeline does not have
			return constantSample(float64(v), len(g.ok))
		}
	}
	memory := scratch.Get().(*[]float64)
	defer scratch.Put(memory)
	*memory = g.t.values(k, g.ok, (*memory)[:0])
	return newSample(*memory)
}

// manyPeers is from how many ok questions on it pays to make samples beside what else goes on.
const manyPeers = 4096

// sampleAhead makes the samples that a verdict on slow questions is most likely to ask for.
func (g *group) sampleAhead() {
	g.sample(qInside)
	g.sample(qOutside)
	for c := range numComponents {
		g.sample(quantity(c))
	}
}

// warmMedian is the median of a load over the ok questions that found the model loaded; 0 without any.
func (g *group) warmMedian(load Component) time.Duration {
	s := &g.warm[load]
	s.once.Do(func() {
		memory := scratch.Get().(*[]float64)
		defer scratch.Put(memory)
		loads, values := g.t.component(load), (*memory)[:0]
		for _, row := range g.ok {
			if d := loads[row]; d <= int64(warmLoad) {
				values = append(values, float64(d))
			}
		}
		*memory = values
		s.is = newSample(values)
	})
	return time.Duration(s.is.median())
}

// isOK reports whether a row's question ended well, and so is one of its peers.
func (t *Table) isOK(row int) bool { return t.textAt(colStatus, row) == string(StatusOK) }

// othersMedian is the median of k over the group's ok questions but the row's, and how many there are; 0 without any.
func (g *group) othersMedian(k quantity, row int) (median float64, n int) {
	s := g.sample(k)
	if v, known := g.t.value(k, row); known && g.t.isOK(row) {
		return s.medianWithout(v), s.n - 1
	}
	return s.median(), s.n
}

// othersHave reports whether k is anything but 0 in an ok question other than the row's.
func (g *group) othersHave(k quantity, row int) bool {
	n := g.sample(k).some
	if v, known := g.t.value(k, row); known && v != 0 && g.t.isOK(row) {
		n--
	}
	return n > 0
}

// excess is how far the row's value lies above the others' median.
func (g *group) excess(k quantity, row int) time.Duration {
	v, _ := g.t.value(k, row)
	median, _ := g.othersMedian(k, row)
	return time.Duration(v - median)
}

// above reports whether the row's value is more than times the others' median; what is unknown is not.
func (g *group) above(times float64, k quantity, row int) bool {
	v, known := g.t.value(k, row)
	median, n := g.othersMedian(k, row)
	return known && n > 0 && v > times*median
}

// multiple is how often the others' median fits into the row's value; ok is false when either is unknown or the median is 0.
func (g *group) multiple(k quantity, row int) (times float64, ok bool) {
	v, known := g.t.value(k, row)
	median, n := g.othersMedian(k, row)
	if !known || n == 0 || median <= 0 {
		return 0, false
	}
	return v / median, true
}

// first is the group's first question, of any status, that has a span of c; ok is false when none has.
func (g *group) first(c Component) (row int, ok bool) {
	for _, row := range g.all {
		if g.t.has(int(row), c) {
			return int(row), true
		}
	}
	return 0, false
}
