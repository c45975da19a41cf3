package diagnose

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

// An edge is a moment at which a component gains or loses an active span.
type edge struct {
	at        int64
	component Component
	change    int
}

// edges are the root's time line: what is active when, clipped to the root. stages has a bit for each component that has a
// span, however short.
func (t *tree) edges() (edges []edge, stages uint32) {
	root := &t.nodes[0]
	edges = make([]edge, 0, 2*len(t.nodes))
	add := func(c Component, start, end int64) {
		stages |= 1 << c
		start, end = max(start, root.start), min(end, root.end)
		if start < end {
			edges = append(edges, edge{start, c, 1}, edge{end, c, -1})
		}
	}
	for i := range t.nodes[1:] {
		n := &t.nodes[1+i]
		switch n.stage {
		case llmStage:
			if n.span.Kind == serverKind {
				add(LLMOther, n.start, n.end)
			}
		case noStage:
		default:
			add(n.stage, n.start, n.end)
		}
	}
	for i := range t.calls {
		c := &t.calls[i]
		for _, p := range c.made {
			add(p.stage, p.start, p.end)
		}
		if c.isServer {
			continue
		}
		n := &t.nodes[c.at]
		add(Transport, n.start, n.end)
		if t.failedCall(c) {
			add(Retry, n.start, n.end)
		}
		for _, r := range t.retries(c) {
			add(Retry, r.start, r.end)
		}
		if t.opaque(c) {
			for _, s := range t.serving(c) {
				add(LLMOther, s.start, s.end)
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	return edges, stages
}

// opaque reports whether nothing tells how the LLM server spent a call that did not fail.
func (t *tree) opaque(c *call) bool {
	return !c.phasesKnown() && len(c.servers) == 0 && !t.failedCall(c)
}

// sweep adds up the root's time by component.
func (t *tree) sweep() (parts Components, stages uint32) {
	stages = t.cover(func(c Component, start, end int64) { parts[c] += time.Duration(end - start) })
	return parts, stages
}

// cover gives every instant of the root, in order of time, to the first component that is active then.
func (t *tree) cover(give func(c Component, start, end int64)) (stages uint32) {
	edges, stages := t.edges()
	root := &t.nodes[0]
	firstStage := root.end // the first stage other than enter
	for _, e := range edges {
		if e.component != Enter {
			firstStage = e.at
			break
		}
	}
	if firstStage == root.end {
		firstStage = root.start // no stage at all: nothing says that the time went before one
	}

	var active [numComponents]int
	var on uint32 // bit c: component c is active
	at := root.start
	until := func(end int64) {
		switch {
		case end == at:
		case on != 0:
			give(Component(bits.TrailingZeros32(on)), at, end)
		default:
			start := min(max(firstStage, at), end)
			if start > at {
				give(GapStart, at, start)
			}
			if end > start {
				give(Gap, start, end)
			}
		}
		at = end
	}
	for _, e := range edges {
		until(e.at)
		active[e.component] += e.change
		if active[e.component] > 0 {
			on |= 1 << e.component
		} else {
			on &^= 1 << e.component
		}
	}
	until(root.end)
	return stages
}
