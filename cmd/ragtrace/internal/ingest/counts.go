package ingest

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Counts are what a server has received since it started.
type Counts struct {
	Requests     int64            // answered with success
	Spans        int64            // committed; one that was delivered twice counts twice
	Refused      int64            // spans that cannot be kept
	Reasons      map[string]int64 // the same by the reason
	Bad          int64            // requests that could not be read
	Busy         int64            // requests asked to come again
	Unauthorized int64            // requests without the token
	Failed       int64            // requests that the store could not take
	Failure      error            // of the last of these
}

type counts struct {
	requests, spans, bad, busy, unauthorized, failed atomic.Int64
	failure                                          atomic.Pointer[error]

	mu      sync.Mutex
	reasons map[string]int64
}

func (c *counts) refuse(reasons map[string]int) {
	if len(reasons) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reasons == nil {
		c.reasons = map[string]int64{}
	}
	for reason, n := range reasons {
		c.reasons[reason] += int64(n)
	}
}

// Counts reads the counts.
func (s *Server) Counts() Counts {
	c := Counts{
		Requests: s.counts.requests.Load(), Spans: s.counts.spans.Load(), Bad: s.counts.bad.Load(), Busy: s.counts.busy.Load(),
		Unauthorized: s.counts.unauthorized.Load(), Failed: s.counts.failed.Load(),
	}
	s.counts.mu.Lock()
	c.Reasons = maps.Clone(s.counts.reasons)
	s.counts.mu.Unlock()
	for _, n := range c.Reasons {
		c.Refused += n
	}
	if err := s.counts.failure.Load(); err != nil {
		c.Failure = *err
	}
	return c
}
