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
	slots    chan struct{} // holds one entry for each request being worked on
	loading  bool
	refs     int           // requests that use it
	session  time.Duration // how long it stays after the last of them
	expires  time.Time     // when that is; kept from the time before while in use; zero before the first
	prefills int           // prompts evaluated since the load
}

// A scheduler decides which models are in memory, in the way of Ollama: a loaded model is used at once; other requests
// queue, and the first of them has what it needs unloaded, waiting for the running requests of the victim.
//
// There are no timers: a model whose time is over is dropped by whoever looks next.
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

// acquire returns m in memory with the options, loading it if it must. A nil keepAlive leaves the model's as it is. Each
// acquire needs a release, unless it fails, which it does only when ctx ends.
func (s *scheduler) acquire(ctx context.Context, m *Model, options runnerOptions, keepAlive *time.Duration) (*runner, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, loading := s.use(m, options, keepAlive)
	if r != nil {
		return r, nil
	}
	if loading != nil {
		if err := loading.wait(ctx); err != nil {
			return nil, err
		}
		if r, _ := s.use(m, options, keepAlive); r != nil {
			return r, nil
		}
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		r, blocked, changed := s.place(m, options, keepAlive)
		switch {
		case blocked != nil:
			if err := blocked.wait(ctx); err != nil {
				<-s.turn
				return nil, err
			}
		case r == nil:
			select {
			case <-changed:
			case <-ctx.Done():
				<-s.turn
				return nil, ctx.Err()
			}
		case !r.loading:
			<-s.turn
			return r, nil
		default:
			<-s.turn
			return s.load(ctx, r)
		}
	}
}

func (r *runner) wait(ctx context.Context) error {
	select {
	case <-r.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// use returns m's runner if it is loaded as asked for; else, if it is being loaded, that runner to wait for.
func (s *scheduler) use(m *Model, options runnerOptions, keepAlive *time.Duration) (r, loading *runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	r = s.loaded[m.Name]
	switch {
	case r == nil:
		return nil, nil
	case r.loading:
		return nil, r
	case r.options != options:
		return nil, nil
	}
	r.refs++
	if keepAlive != nil {
		r.session = *keepAlive
	}
	return r, nil
}

// place takes a place in memory for m. It returns m's runner, to be loaded by the caller if it is loading; or a runner whose
// load must end first; or neither, and what is closed when it is worth trying again.
func (s *scheduler) place(m *Model, options runnerOptions, keepAlive *time.Duration) (r, blocked *runner, changed <-chan struct{}) {
	r, blocked = s.use(m, options, keepAlive)
	if r != nil || blocked != nil {
		return r, blocked, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	victim := s.loaded[m.Name] // with other options
	if victim == nil && len(s.loaded) >= s.maxLoaded {
		victim = s.victim()
	}
	if victim != nil {
		if victim.loading {
			return nil, victim, nil
		}
		victim.session = 0
		if victim.refs > 0 {
			return nil, nil, s.changed
		}
		s.drop(victim)
	}
	parallel := s.parallel
	if m.Kind == Embed {
		parallel = 1
	}
	session := s.keepAlive
	if keepAlive != nil {
		session = *keepAlive
	}
	r = &runner{
		model: m, options: options, session: session, loading: true,
		ready: make(chan struct{}), slots: make(chan struct{}, parallel),
	}
	s.loaded[m.Name] = r
	return r, nil, nil
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

// load brings r into memory. A load whose client leaves is given up.
func (s *scheduler) load(ctx context.Context, r *runner) (*runner, error) {
	err := wait(ctx, r.model.Load)
	s.mu.Lock()
	defer s.mu.Unlock()
	r.loading = false
	if err != nil {
		s.drop(r)
	} else {
		r.refs++
	}
	close(r.ready)
	return r, err
}

// release ends one use of r.
func (s *scheduler) release(r *runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.refs--
	if r.refs > 0 {
		return
	}
	r.expires = time.Now().Add(r.session)
	if r.session <= 0 {
		s.drop(r)
	}
	s.wake()
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

// crash drops r, whose requests end by themselves.
func (s *scheduler) crash(r *runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(r)
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

// firstPrefill reports whether r has evaluated nothing since it was loaded, and counts the prompt.
func (s *scheduler) firstPrefill(r *runner) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.prefills++
	return r.prefills == 1
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
