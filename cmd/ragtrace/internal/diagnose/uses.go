package diagnose

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// uses are stretches of time by model and server, ordered by start, so that what came before a moment is found fast.
type uses struct {
	t       *Table
	byModel map[int64]map[int64]*useList // by the places of the model's and the server's name in the table's texts
	last    *useList                     // that was added to
}

type useList struct {
	model, server int64
	list          []use
}

type use struct {
	start, end int64
	latestEnd  int64 // of this one and all that started before it
	row, call  int32 // whose question, and which call in the table
}

func newUses(t *Table) *uses {
	return &uses{t: t, byModel: make(map[int64]map[int64]*useList), last: &useList{model: -1}}
}

// usesOf are the calls of questions, whatever their status: each of them used its model.
func usesOf(t *Table, rows []int32) *uses {
	u := newUses(t)
	starts, begins, took := t.column(colStart), t.column(colCallStart), t.column(colCallTime)
	t.column(colCalls) // which every row is asked for
	for _, row := range rows {
		first, end := t.calls(int(row))
		for i := first; i < end; i++ {
			start := starts[row] + begins[i]
			u.add(use{start: start, end: start + took[i], row: row, call: int32(i)}, len(begins)-i)
		}
	}
	u.order()
	return u
}

// few is from how many uses on a model is taken for one that most calls use.
const few = 256

// add records a use of its call's model; one without a name is not known to be the same as another. There may be so many more.
func (u *uses) add(x use, more int) {
	model, server := u.t.column(colModel)[x.call], u.t.column(colServer)[x.call]
	if u.last.model != model || u.last.server != server {
		if u.t.texts[model] == "" {
			return
		}
		if u.byModel[model] == nil {
			u.byModel[model] = make(map[int64]*useList)
		}
		if u.byModel[model][server] == nil {
			u.byModel[model][server] = &useList{model: model, server: server}
		}
		u.last = u.byModel[model][server]
	}
	if len(u.last.list) == few {
		u.last.list = slices.Grow(u.last.list, more)
	}
	u.last.list = append(u.last.list, x)
}

func (u *uses) order() {
	for _, servers := range u.byModel {
		for _, of := range servers {
			list := of.list
			byTime := func(a, b use) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) }
			if !slices.IsSortedFunc(list, byTime) { // as they mostly are
				slices.SortStableFunc(list, byTime)
			}
			var latest int64
			for i := range list {
				latest = max(latest, list[i].end)
				list[i].latestEnd = latest
			}
		}
	}
}

// before is the latest use of a call's model that started before a moment; nil when there is none. The same model on
// another server is another one; a call that does not tell its server may have gone to any.
func (u *uses) before(call int, at int64) *use {
	servers, server := u.byModel[u.t.column(colModel)[call]], u.t.column(colServer)[call]
	if u.t.texts[server] == "" {
		var last *use
		for server := range servers {
			last = u.latest(last, lastBefore(servers[server], at))
		}
		return last
	}
	return u.latest(lastBefore(servers[server], at), lastBefore(servers[u.t.textID("")], at))
}

func lastBefore(of *useList, at int64) *use {
	if of == nil {
		return nil
	}
	list := of.list
	n := sort.Search(len(list), func(i int) bool { return list[i].start >= at })
	if n == 0 {
		return nil
	}
	return &list[n-1]
}

// latest is the later one of two uses, either of which may be nil, with the latest end of both.
func (u *uses) latest(a, b *use) *use {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	order := cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end),
		cmp.Compare(u.t.textAt(colServer, int(a.call)), u.t.textAt(colServer, int(b.call))))
	x := *a
	if order < 0 {
		x = *b
	}
	x.latestEnd = max(a.latestEnd, b.latestEnd)
	return &x
}

// idle is how long the model lay idle before a moment; negative when it was in use.
func (x *use) idle(at int64) time.Duration { return time.Duration(at - x.latestEnd) }

// kept reports whether the model should still have been loaded at a moment. A negative keep_alive is for ever.
func (u *uses) kept(x *use, at int64) bool {
	keepAlive := time.Duration(u.t.column(colKeepAlive)[x.call])
	return keepAlive < 0 || x.idle(at) <= keepAlive
}

// A load is the load phase of a call.
type load struct {
	call       int   // in the table
	called     int64 // when the call started
	start, end int64
}

// loadOf is the longest load that the row's question waited for; ok is false when it waited for none.
func (t *Table) loadOf(row int) (longest load, ok bool) {
	begins, took := t.column(colLoadStart), t.column(colLoadTime)
	start, at := t.column(colStart)[row], -1
	first, end := t.calls(row)
	for i := first; i < end; i++ {
		if took[i] > 0 && (at < 0 || took[i] > took[at]) {
			at = i
		}
	}
	if at < 0 {
		return load{}, false
	}
	began := start + begins[at]
	return load{call: at, called: start + t.column(colCallStart)[at], start: began, end: began + took[at]}, true
}
