package diagnose

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// uses are stretches of time by model and server, ordered by start, so that what came before a moment is found fast.
type uses map[string]map[string][]use

type use struct {
	start, end int64
	call       *Call
	question   *Question
	latestEnd  int64 // of this one and all that started before it
}

// usesOf are the calls of all questions, whatever their status: each of them used its model.
func usesOf(questions []*Question) uses {
	u := make(uses)
	for _, q := range questions {
		for i := range q.Calls {
			c := &q.Calls[i]
			u.add(use{start: c.Start, end: c.End, call: c, question: q})
		}
	}
	u.order()
	return u
}

// add records a use of its call's model; one without a name is not known to be the same as another.
func (u uses) add(x use) {
	name, server := x.call.Model, x.call.Server
	if name == "" {
		return
	}
	if u[name] == nil {
		u[name] = make(map[string][]use)
	}
	u[name][server] = append(u[name][server], x)
}

func (u uses) order() {
	for _, servers := range u {
		for _, list := range servers {
			slices.SortStableFunc(list, func(a, b use) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
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
func (u uses) before(c *Call, at int64) *use {
	servers := u[c.Model]
	if c.Server == "" {
		var last *use
		for server := range servers {
			last = latest(last, lastBefore(servers[server], at))
		}
		return last
	}
	return latest(lastBefore(servers[c.Server], at), lastBefore(servers[""], at))
}

func lastBefore(list []use, at int64) *use {
	n := sort.Search(len(list), func(i int) bool { return list[i].start >= at })
	if n == 0 {
		return nil
	}
	return &list[n-1]
}

// latest is the later one of two uses, either of which may be nil, with the latest end of both.
func latest(a, b *use) *use {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	order := cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.call.Server, b.call.Server))
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
func (x *use) kept(at int64) bool {
	return x.call.KeepAlive < 0 || x.idle(at) <= x.call.KeepAlive
}

// loadCall is the call that waited longest for a load; nil when none did.
func (q *Question) loadCall() *Call {
	var longest *Call
	for i := range q.Calls {
		c := &q.Calls[i]
		if d := c.LoadEnd - c.LoadStart; d > 0 && (longest == nil || d > longest.LoadEnd-longest.LoadStart) {
			longest = c
		}
	}
	return longest
}
