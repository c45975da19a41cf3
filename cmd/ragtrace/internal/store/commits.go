package store

import (
	"sync"
	"time"
)

// CommitBuckets are the upper bounds of the buckets of Commits; the last bucket has none.
var CommitBuckets = [...]time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, time.Second,
}

// Commits are how long the commits of spans took since the store was opened.
type Commits struct {
	Counts [len(CommitBuckets) + 1]int64 // by bucket, each without those before it
	Sum    time.Duration
	Failed int64
	Last   error // of the last commit; nil when it succeeded or there was none
}

type commits struct {
	mu sync.Mutex
	is Commits
}

func (c *commits) record(took time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.is.Last = err
	if err != nil {
		c.is.Failed++
		return
	}
	i := 0
	for i < len(CommitBuckets) && took > CommitBuckets[i] {
		i++
	}
	c.is.Counts[i]++
	c.is.Sum += took
}

// Commits tells how the commits went. The store must be open for writing.
func (s *Store) Commits() Commits {
	s.writer.commits.mu.Lock()
	defer s.writer.commits.mu.Unlock()
	return s.writer.commits.is
}

// Queued is how many batches wait for the writer. The store must be open for writing.
func (s *Store) Queued() int { return len(s.writer.queue) }
