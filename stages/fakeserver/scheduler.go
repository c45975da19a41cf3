package fakeserver

import (
	"context"
	"sync"
	"time"
)

// A runner is a model in memory, or on its way there.
type runner struct {
	model    *Model
	options  runnerOptions
	ready    chan struct{} // closed when the load has ended, well or not
	loading  bool
	free     int            // slots that nobody works in
	waiting  map[int64]bool // the requests that want a slot, by number; those that wait for the load too
	refs     int            // requests that use it
	session  time.Duration  // how long it stays after the last of them
	expires  time.Time      // when that is; kept from the time before while in use; zero before the first
	prefills int            // prompts evaluated since the load
}

// A scheduler decides which models are in memory, in the way of Ollama: a loaded model is used at once; other requests
// queue, and the first of them has what it needs unloaded, waiting for the running requests of the victim.
//
// There are no timers: a model whose time is over is dropped by whoever looks next. Slots go out in the order in which the
// requests came, even to requests that become ready at one moment: a test must not depend on chance.
type scheduler struct {
	maxLoaded, parallel int
	keepAlive           time.Duration

	turn chan struct{} // held by the request that makes room

	mu      sync.Mutex
	loaded  map[string]*runner
	changed chan struct{} // closed, and replaced, when a runner goes idle or away
}

func newScheduler(maxLoaded, parallel int, keepAlive time.Duration) *scheduler {
	return &scheduler{
		maxLoaded: maxLoaded, parallel: parallel, keepAlive: keepAlive,
		turn: make(chan struct{}, 1), loaded: map[string]*runner{}, changed: make(chan struct{}),
	}
}

// acquire returns m in memory with the options, loading it if it must. n is the request's number. A nil keepAlive leaves
// the model's as it is. It fails only when ctx ends.
func (s *scheduler) acquire(ctx context.Context, n int64, m *Model, options runnerOptions, keepAlive *time.Duration) (*lease, error) {
	l := &lease{scheduler: s, n: n, model: m, options: options, keepAlive: keepAlive}
	if err := l.get(ctx); err != nil {
		l.forget()
		return nil, err
	}
	return l, nil
}

// victim chooses the runner to unload: an idle one if there is any, of these the one with the shortest keep-alive, then
// by name.
func (s *scheduler) victim() *runner {
	var v *runner
	for _, r := range s.loaded {
		switch {
		case v == nil:
			v = r
		case (r.refs == 0 && !r.loading) != (v.refs == 0 && !v.loading):
			if r.refs == 0 && !r.loading {
				v = r
			}
		case r.session < v.session, r.session == v.session && r.model.Name < v.model.Name:
			v = r
		}
	}
	return v
}

// unload drops m now or, if it is in use, as soon as it no longer is.
func (s *scheduler) unload(m *Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.loaded[m.Name]
	if r == nil {
		return
	}
	r.session, r.expires = 0, time.Now()
	if r.refs == 0 && !r.loading {
		s.drop(r)
	}
}

// list returns the runners as /api/ps shows them.
func (s *scheduler) list() []runner {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	var out []runner
	for _, r := range s.loaded {
		shown := *r
		if shown.expires.IsZero() {
			shown.expires = time.Now().Add(r.session)
		}
		out = append(out, shown)
	}
	return out
}

func (s *scheduler) expire() {
	now := time.Now()
	for _, r := range s.loaded {
		if !r.loading && r.refs == 0 && !now.Before(r.expires) {
			s.drop(r)
		}
	}
}

// drop takes r out of memory, unless a later runner has its place already.
func (s *scheduler) drop(r *runner) {
	if s.loaded[r.model.Name] == r {
		delete(s.loaded, r.model.Name)
	}
	s.wake()
}

func (s *scheduler) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}
