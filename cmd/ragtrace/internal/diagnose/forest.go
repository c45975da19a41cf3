package diagnose

import (
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// maxSpan is the longest that a span or a reported duration may be; more is a broken clock or another unit.
const maxSpan = 24 * time.Hour

// A forest is the spans of one trace by parenthood, each span once. Spans with impossible times stay in it, marked, so
// that what is below them keeps its place.
type forest struct {
	nodes []treeNode // a parent comes before its children; spans on a circle of parents are left out
}

type treeNode struct {
	span   *model.Span
	parent int // index, or -1
	end    int // the node's descendants are nodes[i+1:end]
	stage  Component
	bad    bool // start or end is missing, or it ends before its start, or is too long
	twice  bool // it came more than once
}

// plant puts the spans in order.
func plant(spans []*model.Span) *forest {
	byID := make(map[model.SpanID]int, len(spans))
	unique := make([]*model.Span, 0, len(spans))
	var twice map[int]bool
	for _, s := range spans {
		if first, ok := byID[s.SpanID]; ok {
			if twice == nil {
				twice = make(map[int]bool)
			}
			twice[first] = true
			continue
		}
		byID[s.SpanID] = len(unique)
		unique = append(unique, s)
	}

	// Children as linked lists: child[i] is the first, next[i] the next with the same parent.
	child, next := make([]int, len(unique)), make([]int, len(unique))
	for i := range child {
		child[i] = -1
	}
	var tops []int
	for i, s := range unique {
		parent, ok := byID[s.ParentID]
		if !ok || parent == i || s.ParentID.IsZero() {
			tops = append(tops, i)
			continue
		}
		next[i], child[parent] = child[parent], i
	}

	f := &forest{nodes: make([]treeNode, 0, len(unique))}
	for _, top := range tops {
		f.add(unique, twice, child, next, top)
	}
	return f
}

// add appends the tree below top, without recursion since a trace may be a chain of any length.
func (f *forest) add(unique []*model.Span, twice map[int]bool, child, next []int, top int) {
	type visit struct{ span, parent int }
	todo := []visit{{top, -1}}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		if v.span < 0 { // all below the node v.parent is done
			f.nodes[v.parent].end = len(f.nodes)
			todo = todo[:len(todo)-1]
			continue
		}
		at := len(f.nodes)
		s := unique[v.span]
		f.nodes = append(f.nodes, treeNode{span: s, parent: v.parent, stage: stageOf(s), bad: badTimes(s), twice: twice[v.span]})
		todo[len(todo)-1] = visit{-1, at}
		for c := child[v.span]; c >= 0; c = next[c] {
			todo = append(todo, visit{c, at})
		}
	}
}

func badTimes(s *model.Span) bool {
	return s.Start <= 0 || s.End <= 0 || s.End < s.Start || s.End-s.Start > int64(maxSpan)
}
