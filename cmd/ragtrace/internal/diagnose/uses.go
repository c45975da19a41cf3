package diagnose

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// uses are stretches of time by model, ordered by start, so that what came before a moment is found fast.
type uses map[string][]use

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
			u.add(c.Model, use{start: c.Start, end: c.End, call: c, question: q})
		}
	}
	u.order()
	return u
}

// add records a use; a model without a name is not known to be the same as another.
func (u uses) add(model string, x use) {
	if model != "" {
		u[model] = append(u[model], x)
	}
}

func (u uses) order() {
	for _, list := range u {
		slices.SortStableFunc(list, func(a, b use) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
		var latest int64
		for i := range list {
			latest = max(latest, list[i].end)
			list[i].latestEnd = latest
		}
	}
}

// before is the latest use of a model that started before a moment; nil when there is none.
func (u uses) before(model string, at int64) *use {
	list := u[model]
	n := sort.Search(len(list), func(i int) bool { return list[i].start >= at })
	if n == 0 {
		return nil
	}
	return &list[n-1]
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
