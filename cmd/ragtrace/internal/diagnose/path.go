package diagnose

import (
	"cmp"
	"slices"
	"time"
)

// markPath marks the critical path: from the root's end back in time, always along what ended last. It leads over stages and
// gaps, the rows that tell what time was spent on; spans of no stage are looked through, since an HTTP request would hide the
// phases of the call that it belongs to.
func markPath(rows []Row) {
	below := make([][]int, len(rows)) // by end, the last first
	var called time.Duration          // the end of the last LLM call
	for i := 1; i < len(rows); i++ {
		r := &rows[i]
		if r.End > r.Start && (r.Stage != "" || r.Kind != RowFrame) {
			parent := r.Parent
			for parent > 0 && rows[parent].Stage == "" {
				parent = rows[parent].Parent
			}
			below[parent] = append(below[parent], i)
		}
		if r.Stage == "llm" && !r.Failed {
			called = max(called, r.End)
		}
	}
	for _, list := range below {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(rows[b].End, rows[a].End), cmp.Compare(rows[b].Start, rows[a].Start))
		})
	}
	type visit struct {
		row         int
		from, until time.Duration // what is left of the row
		next        int           // of below
	}
	todo := []visit{{row: 0, until: rows[0].End}}
	for len(todo) > 0 {
		v := &todo[len(todo)-1]
		r := &rows[v.row]
		if v.next == len(below[v.row]) || v.until <= v.from {
			r.onPath(v.from, v.until)
			todo = todo[:len(todo)-1]
			continue
		}
		at := below[v.row][v.next]
		v.next++
		child := &rows[at]
		start, end := max(child.Start, v.from), min(child.End, r.End)
		if child.Stage == "answer" && child.Start < called {
			// An answer is passed on while it is written: until the last call ends, everything waits for that call.
			start = max(start, called)
		}
		if end > v.until || end <= start {
			continue
		}
		r.onPath(end, v.until)
		v.until = start
		todo = append(todo, visit{row: at, from: start, until: end})
	}
	for i := range rows {
		slices.Reverse(rows[i].Path)
	}
}

// onPath adds a stretch before those that the path has already.
func (r *Row) onPath(start, end time.Duration) {
	if start < end {
		r.Path = append(r.Path, Stretch{start, end})
	}
}
