package diagnose

import (
	"cmp"
	"slices"
	"time"
)

// A Digest is what a screen has room for of a judgement.
type Digest struct {
	Verdict   Verdict
	Asked     int      // questions that were chosen, of which Questions lists some
	Questions []Result // in the order of a report
	Flags     []Raised // sorted
	Usual     []Usual  // for the first of Verdict.Slow, in their order
}

// A Raised is a flag, how many of the chosen questions raise it, and the first of them.
type Raised struct {
	Flag      string
	Questions int
	First     []Name
}

// A Name is which question it is.
type Name struct {
	Session string
	Number  int
}

// A Usual is a question's components beside the medians of its peers without itself. Occurs tells of the components that any
// of them has.
type Usual struct {
	Here, Medians Components
	Occurs        [numComponents]bool
}

// Digest lists most questions at most, slow ones before others and late ones before early ones; names as many for each flag;
// and compares as many slow questions as peers says with what is usual.
func (j *Judgement) Digest(most, named, compared int) Digest {
	rows := j.Chosen()
	d := Digest{Verdict: j.Verdict(), Asked: len(rows), Flags: j.raised(rows, named)}
	slow := j.slowRows()
	var s slabs
	for _, row := range pick(rows, slow, most) {
		r := j.result(row, &s)
		r.Slow = slow[row]
		d.Questions = append(d.Questions, r)
	}
	for _, s := range j.slow[:min(len(j.slow), compared)] {
		d.Usual = append(d.Usual, j.usual(s.row))
	}
	return d
}

// pick chooses most rows at most and keeps their order.
func pick(rows []int, slow map[int]bool, most int) []int {
	shown := make([]int, 0, most) // places in rows
	for _, is := range []bool{true, false} {
		for i := len(rows) - 1; i >= 0 && len(shown) < most; i-- {
			if slow[rows[i]] == is {
				shown = append(shown, i)
			}
		}
	}
	slices.Sort(shown)
	for i, at := range shown {
		shown[i] = rows[at]
	}
	return shown
}

func (j *Judgement) raised(rows []int, named int) (raised []Raised) {
	counts, flags := j.t.column(colFlags), j.t.column(colFlag)
	known := make(map[int64]int) // places in raised
	for _, row := range rows {
		first := int(j.t.firstFlag()[row])
		for _, flag := range flags[first : first+int(counts[row])] {
			at, ok := known[flag]
			if !ok {
				at = len(raised)
				known[flag] = at
				raised = append(raised, Raised{Flag: j.t.texts[flag]})
			}
			r := &raised[at]
			if r.Questions++; len(r.First) < named {
				r.First = append(r.First, Name{j.t.Session(row), j.t.Number(row)})
			}
		}
	}
	slices.SortFunc(raised, func(a, b Raised) int { return cmp.Compare(a.Flag, b.Flag) })
	return raised
}

func (j *Judgement) usual(row int) (u Usual) {
	g := j.groupOf(row)
	var have int64 // components that a peer has a span of, however short
	stages := j.t.column(colStages)
	for _, ok := range g.ok {
		if int(ok) != row {
			have |= stages[ok]
		}
	}
	for c := range numComponents {
		u.Here[c] = time.Duration(j.t.at(colComponent+Column(c), row))
		median, _ := g.othersMedian(quantity(c), row)
		u.Medians[c] = time.Duration(median)
		u.Occurs[c] = have&(1<<c) != 0 || g.othersHave(quantity(c), row)
	}
	return u
}
