package diagnose

import (
	"cmp"
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// An interval is a stretch of time in Unix nanoseconds.
type interval struct{ start, end int64 }

// A retry is a failed attempt, as an index of tree.nodes, with the wait for the next attempt from the same place.
type retry struct {
	at int
	interval
}

// retries are the failed attempts of a call.
func (t *tree) retries(c *call) []retry {
	attempts := slices.Clone(c.attempts)
	slices.SortFunc(attempts, func(a, b int) int {
		x, y := &t.nodes[a], &t.nodes[b]
		return cmp.Or(cmp.Compare(x.parent, y.parent), cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end))
	})
	var retries []retry
	for i, at := range attempts {
		n := &t.nodes[at]
		if !n.failed() {
			continue
		}
		r := retry{at, interval{n.start, n.end}}
		if i+1 < len(attempts) {
			if next := &t.nodes[attempts[i+1]]; next.parent == n.parent {
				r.end = max(r.end, next.start)
			}
		}
		retries = append(retries, r)
	}
	return retries
}

// serving is when the LLM server is taken to have worked on a call that tells neither phases nor a server span: the call,
// or what a gateway below it sent on, without connection set-up and failed attempts.
func (t *tree) serving(c *call) []interval {
	var cuts []interval
	for _, r := range t.retries(c) {
		cuts = append(cuts, r.interval)
	}
	for _, i := range c.connects {
		cuts = append(cuts, interval{t.nodes[i].start, t.nodes[i].end})
	}
	if len(c.gateways) == 0 {
		return subtract([]interval{{t.nodes[c.at].start, t.nodes[c.at].end}}, cuts)
	}
	var sent []interval
	id := t.nodes[c.at].call
	for i := c.at + 1; i < len(t.nodes) && t.nodes[i].call == id; i++ { // what is below a span follows it
		n := &t.nodes[i]
		if t.nodes[n.parent].stage == Gateway && n.span.Kind == model.KindClient && !n.failed() {
			sent = append(sent, interval{n.start, n.end})
		}
	}
	return subtract(sent, cuts)
}

// subtract is what of some intervals lies in no cut; it sorts the cuts. Results may overlap where the intervals did.
func subtract(from, cuts []interval) []interval {
	slices.SortFunc(cuts, func(a, b interval) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var left []interval
	for _, i := range from {
		for _, cut := range cuts {
			if cut.start >= i.end {
				break
			}
			if cut.end <= i.start {
				continue
			}
			if cut.start > i.start {
				left = append(left, interval{i.start, cut.start})
			}
			i.start = cut.end
		}
		if i.start < i.end {
			left = append(left, i)
		}
	}
	return left
}
