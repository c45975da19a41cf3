package diagnose

import "time"

// A slab hands out short lists from a long one: of a million spans' questions each would be a piece of memory of its own
// else. Its zero value is ready.
type slab[T any] struct{ free []T }

const slabSize = 512

// take is a list of n zeros.
func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		s.free = make([]T, max(n, slabSize))
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}

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
