package diagnose

import (
	"cmp"
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// roots are the questions' roots: spans that say so, else the top of a trace that calls an LLM. It is empty when the trace
// has questions whose roots are missing, or none.
func (f *forest) roots() []int {
	roots := f.declared(func(s *model.Span) bool { return s.Attrs.String("ragtrace.stage") == "question" })
	if len(roots) == 0 {
		roots = f.declared(func(s *model.Span) bool {
			return s.Attrs.String("ragtrace.stage") == "" && s.Attrs.String("gen_ai.operation.name") == "invoke_workflow"
		})
	}
	if len(roots) > 0 || f.numbered() {
		return roots
	}
	if top := f.longestTop(); top >= 0 && f.callsLLM() {
		return []int{top}
	}
	return nil
}

// declared finds the spans that isRoot names. One below another is the same question going on in another service, or a
// workflow within a workflow, unless it has a number of its own.
func (f *forest) declared(isRoot func(*model.Span) bool) []int {
	var roots, around []int // around: those that the span lies below, the nearest last
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.bad || !isRoot(n.span) {
			continue
		}
		for len(around) > 0 && f.nodes[around[len(around)-1]].end <= i {
			around = around[:len(around)-1]
		}
		if len(around) > 0 {
			outer := f.nodes[around[len(around)-1]].span
			if number := numberOf(n.span); number == 0 || number == numberOf(outer) {
				continue
			}
		}
		roots, around = append(roots, i), append(around, i)
	}
	return roots
}

func (f *forest) numbered() bool {
	return slices.ContainsFunc(f.nodes, func(n treeNode) bool { return numberOf(n.span) != 0 })
}

func (f *forest) callsLLM() bool {
	return slices.ContainsFunc(f.nodes, func(n treeNode) bool {
		return !n.bad && n.stage == llmStage && n.span.Kind != model.KindServer
	})
}

// longestTop is the longest span with nothing, or only bad spans, above it; -1 when there is none.
func (f *forest) longestTop() int {
	best := -1
	for i := 0; i < len(f.nodes); {
		n := &f.nodes[i]
		if n.bad {
			i++
			continue
		}
		if best < 0 || longerOrFirst(n.span, f.nodes[best].span) < 0 {
			best = i
		}
		i = n.end
	}
	return best
}

func longerOrFirst(a, b *model.Span) int {
	return cmp.Or(cmp.Compare(b.End-b.Start, a.End-a.Start), firstSpan(a, b))
}

// firstSpan orders spans by start, then id.
func firstSpan(a, b *model.Span) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), slices.Compare(a.SpanID[:], b.SpanID[:]))
}

// orphans are the tops that become children of a root, by root: spans whose parent never came, unless the root lies below
// them. The rest are tops that belong to no root.
func (f *forest) orphans(roots []int) (adopted [][]int, rest []int) {
	adopted = make([][]int, len(roots))
	for top := 0; top < len(f.nodes); top = f.nodes[top].end {
		next, _ := slices.BinarySearch(roots, top)
		if next < len(roots) && roots[next] < f.nodes[top].end {
			continue
		}
		if i := f.adopter(roots, f.nodes[top].span); i >= 0 {
			adopted[i] = append(adopted[i], top)
		} else {
			rest = append(rest, top)
		}
	}
	return adopted, rest
}

// adopter chooses the root for an orphan, as an index into roots: one without another number, and of several one with its number
// or, for an orphan without a number, one in whose time it starts; of several of those one in whose time it starts, and then the
// first. -1: none fits.
func (f *forest) adopter(roots []int, orphan *model.Span) int {
	number, session := numberOf(orphan), sessionOf(orphan)
	if len(roots) == 1 {
		if n := numberOf(f.nodes[roots[0]].span); n != 0 && number != 0 && n != number {
			return -1
		}
		return 0
	}
	best := -1
	around := func(root *model.Span) bool { return root.Start <= orphan.Start && orphan.Start < root.End }
	for i, r := range roots {
		root := f.nodes[r].span
		fits := numberOf(root) == number && (session == "" || sessionOf(root) == session)
		if number == 0 {
			fits = around(root)
		}
		if !fits {
			continue
		}
		if best >= 0 {
			last := f.nodes[roots[best]].span
			if around(last) && !around(root) || around(last) == around(root) && firstSpan(last, root) < 0 {
				continue
			}
		}
		best = i
	}
	return best
}
