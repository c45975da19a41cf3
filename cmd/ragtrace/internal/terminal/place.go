package terminal

import (
	"cmp"
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A bar is one span of a question in its place: on the root's clock, and below its parent.
type bar struct {
	span       *model.Span
	stage      string // as in ragtrace.stage; "" for a span of no stage
	start, end time.Duration
	below      []*bar // by start
}

// place builds the tree below the span root, nil when there is none. Each span counts once, impossible ones make way for
// their children, and those whose parent never came stand below the root.
func place(spans []model.Span, root model.SpanID) *bar {
	parents := make(map[model.SpanID]model.SpanID, len(spans))
	var all []*bar
	var top *bar
	for i := range spans {
		s := &spans[i]
		if _, twice := parents[s.SpanID]; twice {
			continue
		}
		parents[s.SpanID] = s.ParentID
		b := &bar{span: s, stage: stageOf(s)}
		if s.SpanID == root {
			top = b
		}
		all = append(all, b)
	}
	if top == nil {
		return nil
	}
	bars := make(map[model.SpanID]*bar, len(all))
	for _, b := range all {
		s := b.span
		if s.Start > 0 && s.End >= s.Start && s.End-s.Start <= 10*(top.span.End-top.span.Start) {
			bars[s.SpanID] = b
			b.start, b.end = time.Duration(s.Start-top.span.Start), time.Duration(s.End-top.span.Start)
		}
	}
	bars[root] = top
	f := family{parents: parents, bars: bars, top: top}
	for _, b := range all {
		if bars[b.span.SpanID] == b && b != top {
			if parent := f.parent(b); parent != nil {
				parent.below = append(parent.below, b)
			}
		}
	}
	top.unwrap()
	top.align()
	top.settle(0, top.end)
	return top
}

// A family is who descends from whom.
type family struct {
	parents map[model.SpanID]model.SpanID // of every span, impossible ones too
	bars    map[model.SpanID]*bar
	top     *bar
}

// parent is the bar that b stands below; nil when b is no part of the question.
func (f family) parent(b *bar) *bar {
	var near *bar
	last := b.span.SpanID // of those that came
	for range f.parents {
		at := f.parents[last]
		if near == nil {
			near = f.bars[at]
		}
		if at == f.top.span.SpanID {
			return near
		}
		if _, came := f.parents[at]; !came {
			if at.IsZero() || f.aboveTop(last) {
				return nil // a trace's own root, or a span that contains the question
			}
			return cmp.Or(near, f.top)
		}
		last = at
	}
	return nil // a circle
}

// aboveTop reports whether the question's root lies below id.
func (f family) aboveTop(id model.SpanID) bool {
	at := f.top.span.SpanID
	for range f.parents {
		if at == id {
			return true
		}
		at = f.parents[at]
	}
	return false
}

// align moves the bars of other machines into their parents, all from one service together: their durations are right,
// their clock may be another.
func (b *bar) align() {
	const tolerance = time.Millisecond
	type service struct{ name, instance string }
	of := func(b *bar) service { return service{b.span.Resource.Service(), b.span.Resource.Instance()} }
	blocks := make(map[service][]*bar)
	for _, c := range b.below {
		if of(c) != of(b) {
			blocks[of(c)] = append(blocks[of(c)], c)
		}
	}
	for _, block := range blocks {
		start, end := block[0].start, block[0].end
		for _, c := range block {
			start, end = min(start, c.start), max(end, c.end)
		}
		if start >= b.start-tolerance && end <= b.end+tolerance {
			continue
		}
		by := b.start - start + max(0, (b.end-b.start)-(end-start))/2
		for _, c := range block {
			c.shift(by)
		}
	}
	for _, c := range b.below {
		c.align()
	}
}

func (b *bar) shift(by time.Duration) {
	b.start += by
	b.end += by
	for _, c := range b.below {
		c.shift(by)
	}
}

// settle cuts the tree to the time from start to end and orders it.
func (b *bar) settle(start, end time.Duration) {
	b.start = min(max(b.start, start), end)
	b.end = min(max(b.end, b.start), end)
	for _, c := range b.below {
		c.settle(start, end)
	}
	slices.SortStableFunc(b.below, func(x, y *bar) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.end, x.end), cmp.Compare(x.span.Name, y.span.Name),
			slices.Compare(x.span.SpanID[:], y.span.SpanID[:]))
	})
}
