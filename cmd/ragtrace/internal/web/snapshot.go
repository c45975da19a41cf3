package web

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// A snapshot is all questions as of one moment, judged. It does not change.
type snapshot struct {
	version string
	results []diagnose.Result // by session, then number
	verdict diagnose.Verdict
	traces  map[model.TraceID][]int // places in results
	slow    map[slowKey]*diagnose.Slow
	warm    map[peers]*warmth

	questions []diagnose.Question // as they came
	verdicts  verdicts            // of parts of them

	sessions, services, models, backends []string // that occur, the most frequent first
}

// peers are the questions that are compared with each other.
type peers struct{ service, pipeline string }

func peersOf(r *diagnose.Result) peers { return peers{r.Question.Service, r.Question.Pipeline} }

// A warmth is what is usual of warm questions that are peers.
type warmth struct {
	e2e        stats.Middle
	components [len(diagnose.Components{})]stats.Middle
	questions  []*diagnose.Result
	once       sync.Once // components
}

// A usual is what is usual of the warm peers of a question, without itself.
type usual struct {
	n     int
	e2e   time.Duration
	peers *warmth
	self  *diagnose.Result // nil when it is not warm
}

func newSnapshot(version string, questions []diagnose.Question) *snapshot {
	r := diagnose.Judge(questions)
	s := &snapshot{
		version: version, results: r.Questions, verdict: r.Verdict,
		traces: make(map[model.TraceID][]int, len(questions)), slow: make(map[slowKey]*diagnose.Slow, len(r.Verdict.Slow)),
		warm: make(map[peers]*warmth), questions: questions,
	}
	for i := range s.verdict.Slow {
		q := &s.verdict.Slow[i]
		s.slow[slowKey{q.TraceID, q.Session, q.Number}] = q
	}
	sessions, services, models, backends := tally{}, tally{}, tally{}, tally{}
	for i := range s.results {
		r := &s.results[i]
		s.traces[r.TraceID] = append(s.traces[r.TraceID], i)
		sessions[r.Session]++
		services[r.Question.Service]++
		by := stats.Answering(r.Question)
		models[by.Model]++
		backends[by.Provider]++
		if stats.IsWarm(r) {
			w := s.warm[peersOf(r)]
			if w == nil {
				w = &warmth{}
				s.warm[peersOf(r)] = w
			}
			w.questions = append(w.questions, r)
		}
	}
	for _, w := range s.warm {
		w.e2e = w.middle(func(r *diagnose.Result) time.Duration { return r.E2E })
	}
	s.sessions, s.services, s.models, s.backends = sessions.names(), services.names(), models.names(), backends.names()
	return s
}

type slowKey struct {
	trace   model.TraceID
	session string
	number  int
}

// slowOf is what makes a question stand out; nil when nothing does.
func (s *snapshot) slowOf(r *diagnose.Result) *diagnose.Slow {
	if !r.Slow {
		return nil
	}
	return s.slow[slowKey{r.TraceID, r.Session, r.Number}]
}

// warmOf is what is usual of a question's warm peers; nil without any but itself. They are those of stats.WarmPeers.
func (s *snapshot) warmOf(r *diagnose.Result) *usual {
	w := s.warm[peersOf(r)]
	if w == nil {
		return nil
	}
	u := &usual{n: len(w.questions), peers: w}
	if stats.IsWarm(r) {
		u.n--
		u.self = r
	}
	if u.n == 0 {
		return nil
	}
	u.e2e = u.median(w.e2e, func(r *diagnose.Result) time.Duration { return r.E2E })
	return u
}

// components are the medians of each.
func (u *usual) components() *diagnose.Components {
	w := u.peers
	w.once.Do(func() {
		for c := range w.components {
			w.components[c] = w.middle(func(r *diagnose.Result) time.Duration { return r.Question.Components[c] })
		}
	})
	var medians diagnose.Components
	for c := range medians {
		medians[c] = u.median(w.components[c], func(r *diagnose.Result) time.Duration { return r.Question.Components[c] })
	}
	return &medians
}

func (u *usual) median(m stats.Middle, of func(*diagnose.Result) time.Duration) time.Duration {
	if u.self == nil {
		return time.Duration(m.Median())
	}
	return time.Duration(m.MedianWithout(float64(of(u.self))))
}

func (w *warmth) middle(of func(*diagnose.Result) time.Duration) stats.Middle {
	values := make([]float64, len(w.questions))
	for i, r := range w.questions {
		values[i] = float64(of(r))
	}
	return stats.MiddleOf(values)
}

// A tally counts names.
type tally map[string]int

// names are the most frequent first; "" is none.
func (t tally) names() []string {
	delete(t, "")
	names := make([]string, 0, len(t))
	for name := range t {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a, b)) })
	return names
}

// A library keeps the newest snapshot.
type library struct {
	source Source
	ctx    context.Context // ends with the page

	mu      sync.Mutex
	current *snapshot
	loading *loading  // nil when nothing is
	rested  time.Time // before then nothing is read again
	loads   sync.WaitGroup
}

type loading struct {
	version string
	done    chan struct{}
	err     error // after done
}

var errClosed = errors.New("the server is stopping")

// patience is for how long a request waits for news when there is something to show.
const patience = 200 * time.Millisecond

// get is the newest snapshot, or the one before it when reading the newest takes long.
func (l *library) get(ctx context.Context) (*snapshot, error) {
	version, err := l.source.Version(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	if l.ctx.Err() != nil {
		l.mu.Unlock()
		return nil, errClosed
	}
	current, load := l.current, l.loading
	if current != nil && (current.version == version || load == nil && time.Now().Before(l.rested)) {
		l.mu.Unlock()
		return current, nil
	}
	if load == nil {
		load = &loading{version: version, done: make(chan struct{})}
		l.loading = load
		l.loads.Go(func() { l.load(load) })
	}
	l.mu.Unlock()

	var enough <-chan time.Time
	if current != nil {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		enough = timer.C
	}
	select {
	case <-load.done:
	case <-enough:
		return current, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if load.err != nil {
		return nil, load.err
	}
	return l.current, nil
}

func (l *library) load(load *loading) {
	began := time.Now()
	questions, err := l.source.Questions(l.ctx)
	var s *snapshot
	if err == nil {
		s = newSnapshot(load.version, questions)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if load.err = err; err == nil {
		l.current = s
	}
	l.loading = nil
	l.rested = time.Now().Add(time.Since(began)) // under a flood of spans, half of the time is left to others
	close(load.done)
}
