package diagnose

import "time"

// A slab hands out short lists from a long one: of a million spans' questions each would be a piece of memory of its own
// else. Its zero value is ready.
type slab[T any] struct {
	block, free []T
	size        int // of the next block; 0 means slabSize
}

const slabSize = 512

// take is a list of n, never nil. It is zeros unless the slab was emptied.
func (s *slab[T]) take(n int) []T {
	if s.free == nil || len(s.free) < n {
		size := s.size
		if size == 0 {
			size = slabSize
		}
		s.block = make([]T, max(n, size))
		s.free = s.block
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}

// empty takes everything back.
func (s *slab[T]) empty() { s.free = s.block }

// slabs are the memory of results.
type slabs struct {
	durations slab[time.Duration]
	stages    slab[Stage]
}

// whole is a duration in whole microseconds.
func (s *slabs) whole(d time.Duration) *time.Duration {
	p := &s.durations.take(1)[0]
	*p = d.Round(time.Microsecond)
	return p
}
