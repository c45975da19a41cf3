package diagnose

import (
	"math"
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A tree is the spans of one question: nodes[0] is the root, parents come before children, and what is impossible is
// gone. Without a root, nodes[0] stands for it and has no span.
type tree struct {
	nodes []node
	flags []string
	calls []call
}

type node struct {
	span       *model.Span
	parent     int
	stage      Component
	start, end int64 // Unix nanoseconds on the root's clock
	call       int   // the call that it is or lies below, as an index of tree.calls; -1: none
}

func (n *node) failed() bool { return n.span != nil && n.span.Status == model.StatusError }

func (t *tree) flag(name string) {
	if !slices.Contains(t.flags, name) {
		t.flags = append(t.flags, name)
	}
}

// grow makes a question's tree from the descendants of root and the orphaned tops, with children of left-out spans moved
// up to their parents. root is -1 when it is missing.
func grow(f *forest, root int, orphans []int) *tree {
	t := &tree{}
	longest := int64(maxSpan)
	if root >= 0 {
		n := &f.nodes[root]
		t.nodes = make([]node, 0, n.end-root)
		stage := noStage
		if n.stage == llmStage && n.span.Kind != model.KindServer {
			stage = llmStage // a trace of nothing but an LLM call
		}
		t.nodes = append(t.nodes, node{span: n.span, parent: -1, stage: stage, start: n.span.Start, end: n.span.End, call: -1})
		if e2e := n.span.End - n.span.Start; e2e < longest/10 {
			longest = 10 * e2e
		}
		if n.twice {
			t.flag(FlagDuplicateSpans)
		}
		t.append(f, root+1, n.end, root, longest)
	} else {
		t.nodes = append(t.nodes, node{parent: -1, stage: noStage, end: math.MaxInt64, call: -1})
	}
	if len(orphans) > 0 {
		t.flag(FlagOrphanSpans)
	}
	for _, top := range orphans {
		t.append(f, top, f.nodes[top].end, -1, longest)
	}
	return t
}

// append adds the forest's nodes from first to end. Their parents are among them, or become the root.
func (t *tree) append(f *forest, first, end, root int, longest int64) {
	at := make([]int, end-first) // where each node went, or its nearest ancestor that was not left out
	for i := first; i < end; i++ {
		n := &f.nodes[i]
		parent := 0
		if n.parent >= first {
			parent = at[n.parent-first]
		}
		if n.twice {
			t.flag(FlagDuplicateSpans)
		}
		if n.bad || n.span.End-n.span.Start > longest {
			t.flag(FlagBadValue)
			at[i-first] = parent
			continue
		}
		at[i-first] = len(t.nodes)
		t.nodes = append(t.nodes, node{
			span: n.span, parent: parent, stage: n.stage, start: n.span.Start, end: n.span.End, call: -1,
		})
	}
}

// spans are the members' spans, in no particular order.
func (t *tree) spans() []*model.Span {
	spans := make([]*model.Span, 0, len(t.nodes)-1)
	for i := range t.nodes[1:] {
		spans = append(spans, t.nodes[1+i].span)
	}
	return spans
}

// unwrap takes the stage from retrievals that have a search below them: they only wrap it.
func (t *tree) unwrap() {
	searches := make([]bool, len(t.nodes)) // below it
	for i := len(t.nodes) - 1; i > 0; i-- {
		n := &t.nodes[i]
		if n.stage == Search && searches[i] && mayWrap(n.span) {
			n.stage = noStage
		}
		if n.stage == Search || searches[i] {
			searches[n.parent] = true
		}
	}
}

// children lists the children of every node.
func (t *tree) children() [][]int {
	counts := make([]int, len(t.nodes))
	for i := 1; i < len(t.nodes); i++ {
		counts[t.nodes[i].parent]++
	}
	all := make([]int, len(t.nodes)-1)
	lists := make([][]int, len(t.nodes))
	for i, n := range counts {
		lists[i], all = all[:0:n], all[n:]
	}
	for i := 1; i < len(t.nodes); i++ {
		p := t.nodes[i].parent
		lists[p] = append(lists[p], i)
	}
	return lists
}
