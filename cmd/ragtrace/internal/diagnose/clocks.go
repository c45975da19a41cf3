package diagnose

import (
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// clockTolerance is how far another machine's spans may reach out of their parent before its clock is called wrong.
const clockTolerance = int64(time.Millisecond)

// alignClocks moves the spans of other machines into their parents: durations are trusted, absolute times of another clock
// are not. All children of a span from one other service move together, with all that is below them.
func (t *tree) alignClocks() {
	services, n := t.services()
	children := t.children()
	shift := make([]int64, len(t.nodes)) // of the node itself; parents come first, so theirs is final
	blocks := make([]block, n)           // by service, of one parent's children
	for p := range t.nodes {
		parent := &t.nodes[p]
		for _, c := range children[p] {
			child := &t.nodes[c]
			shift[c] = shift[p]
			child.start += shift[p]
			child.end += shift[p]
			if b := &blocks[services[c]]; b.of != p+1 {
				*b = block{of: p + 1, start: child.start, end: child.end}
			} else {
				b.start, b.end = min(b.start, child.start), max(b.end, child.end)
			}
		}
		for _, c := range children[p] {
			if services[c] == services[p] {
				continue
			}
			if by := blocks[services[c]].into(parent); by != 0 {
				t.flag(FlagClockAdjusted)
				shift[c] += by
				t.nodes[c].start += by
				t.nodes[c].end += by
			}
		}
	}
}

// A block is the hull of the children that a span has from one service.
type block struct {
	of         int // the parent's index + 1; 0: none yet
	start, end int64
}

// into is by how much the block has to move: not at all when it lies in its parent, else middle to middle, or start to
// start when it is longer.
func (b block) into(parent *node) int64 {
	if b.start >= parent.start-clockTolerance && b.end <= parent.end+clockTolerance {
		return 0
	}
	room := (parent.end - parent.start) - (b.end - b.start)
	return parent.start - b.start + max(room, 0)/2
}

// services numbers the processes that the nodes come from, from 0 to n-1.
func (t *tree) services() (services []int, n int) {
	numbers := make(map[service]int)
	seen := make(map[*model.Resource]int)
	services = make([]int, len(t.nodes))
	for i := range t.nodes {
		s := t.nodes[i].span
		number, ok := seen[s.Resource]
		if !ok {
			id := serviceOf(s)
			if number, ok = numbers[id]; !ok {
				number = len(numbers)
				numbers[id] = number
			}
			seen[s.Resource] = number
		}
		services[i] = number
	}
	return services, len(numbers)
}
