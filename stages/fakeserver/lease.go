package fakeserver

import (
	"context"
	"time"
)

// A lease is one request's use of a runner.
type lease struct {
	*scheduler
	n         int64
	model     *Model
	options   runnerOptions
	keepAlive *time.Duration

	runner  *runner // nil until it is loaded
	placed  *runner // the one that this request has to load
	inSlot  bool
	isEnded bool
}

// get has the runner when it returns nil.
func (l *lease) get(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if loading := l.use(); loading != nil {
		if err := loading.await(ctx); err != nil {
			return err
		}
		l.use()
	}
	if l.runner != nil {
		return nil
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := l.makeRoom(ctx)
	<-l.turn
	if err == nil && l.placed != nil {
		err = l.load(ctx)
	}
	return err
}

// makeRoom comes back when the model is loaded as asked for, or this request is to load it.
func (l *lease) makeRoom(ctx context.Context) error {
	for l.runner == nil && l.placed == nil {
		blocked, changed := l.place()
		switch {
		case blocked != nil:
			if err := blocked.await(ctx); err != nil {
				return err
			}
		case changed != nil:
			select {
			case <-changed:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// await waits for the end of r's load.
func (r *runner) await(ctx context.Context) error {
	select {
	case <-r.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// forget takes a request that gave up out of the lines in which it stood.
func (l *lease) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.loaded {
		delete(r.waiting, l.n)
	}
	l.wake()
}

// use takes the model's runner if it is loaded as asked for. If it is being loaded, use returns it.
func (l *lease) use() (loading *runner) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire()
	r := l.loaded[l.model.Name]
	switch {
	case r == nil:
		return nil
	case r.loading:
		r.waiting[l.n] = true
		return r
	case r.options != l.options:
		delete(r.waiting, l.n)
		l.wake()
		return nil
	}
	l.runner = r
	r.refs++
	r.waiting[l.n] = true
	if l.keepAlive != nil {
		r.session = *l.keepAlive
	}
	return nil
}

// place takes the model's runner, or a place in memory for it. If it can do neither, it returns a runner whose load must end
// first, or what is closed when it is worth trying again.
func (l *lease) place() (blocked *runner, changed <-chan struct{}) {
	if blocked := l.use(); blocked != nil || l.runner != nil {
		return blocked, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	victim := l.loaded[l.model.Name] // with other options
	if victim == nil && len(l.loaded) >= l.maxLoaded {
		victim = l.victim()
	}
	if victim != nil {
		if victim.loading {
			return victim, nil
		}
		victim.session = 0
		if victim.refs > 0 {
			return nil, l.changed
		}
		l.drop(victim)
	}
	r := &runner{
		model: l.model, options: l.options, session: l.scheduler.keepAlive, loading: true, free: l.parallel,
		ready: make(chan struct{}), waiting: map[int64]bool{l.n: true},
	}
	if l.model.Kind == Embed {
		r.free = 1
	}
	if l.keepAlive != nil {
		r.session = *l.keepAlive
	}
	l.loaded[l.model.Name], l.placed = r, r
	return nil, nil
}

// load brings the runner into memory. A load whose client leaves is given up.
func (l *lease) load(ctx context.Context) error {
	r := l.placed
	err := wait(ctx, r.model.Load)
	l.mu.Lock()
	defer l.mu.Unlock()
	r.loading = false
	if err != nil {
		l.drop(r)
	} else {
		l.runner = r
		r.refs++
	}
	close(r.ready)
	l.wake()
	return err
}

// slot waits for a slot of the runner.
func (l *lease) slot(ctx context.Context) error {
	for {
		l.mu.Lock()
		if l.runner.free > 0 && l.first() {
			l.runner.free--
			l.inSlot = true
			delete(l.runner.waiting, l.n)
			l.wake()
			l.mu.Unlock()
			return ctx.Err()
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *lease) first() bool {
	for n := range l.runner.waiting {
		if n < l.n {
			return false
		}
	}
	return true
}

// prefill evaluates a prompt of n tokens and returns how long it took.
func (l *lease) prefill(ctx context.Context, n int) (time.Duration, error) {
	d := l.model.Prefill + time.Duration(n)*l.model.PrefillPerToken
	if l.firstPrefill() {
		d += l.model.ColdPrefill
	}
	start := time.Now()
	err := wait(ctx, d)
	return time.Since(start), err
}

// firstPrefill reports whether the runner has evaluated nothing since it was loaded, and counts the prompt.
func (l *lease) firstPrefill() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runner.prefills++
	return l.runner.prefills == 1
}

// release ends the use of the runner. All but the first call do nothing.
func (l *lease) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isEnded {
		return
	}
	l.isEnded = true
	r := l.runner
	if l.inSlot {
		r.free++
	}
	delete(r.waiting, l.n)
	r.refs--
	if r.refs == 0 {
		r.expires = time.Now().Add(r.session)
		if r.session <= 0 {
			l.drop(r)
		}
	}
	l.wake()
}

// crash drops the runner, whose requests end by themselves.
func (l *lease) crash() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(l.runner)
}
