package store

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

const (
	// maxQueued bounds the batches that wait for the writer; more callers of Append wait for their turn.
	maxQueued = 256
	// maxGroup bounds the spans of one commit, so that the first of them does not wait for ever.
	maxGroup = 8192
)

// A writer is the one goroutine of a store that writes. What waits for it goes into one commit together: one alone is
// written at once, and under load a commit carries what came in while the one before was written.
type writer struct {
	store   *Store
	conn    *sql.Conn
	insert  *inserter
	queue   chan *pending
	tasks   chan *task
	closing chan struct{}
	once    sync.Once
	stopped chan struct{}
	commits commits
}

type pending struct {
	spans []otlp.Span
	done  chan error // has room for the one answer
}

// A task is anything else that writes.
type task struct {
	run  func(*inserter) error
	done chan error // likewise
}

func newWriter(s *Store) (*writer, error) {
	conn, err := s.db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	w := &writer{
		store: s, conn: conn, insert: newInserter(conn),
		queue:   make(chan *pending, maxQueued),
		tasks:   make(chan *task),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
	}
	go w.run()
	return w, nil
}

// Append stores the spans of a batch and returns when they are committed. After an error none of them, or all, may be
// stored; trying again is safe, as a span that is there already is read once. b must not change meanwhile.
func (s *Store) Append(ctx context.Context, b *otlp.Batch) error {
	if len(b.Spans) == 0 {
		return nil
	}
	p := &pending{spans: b.Spans, done: make(chan error, 1)}
	return hand(ctx, s.writer, s.writer.queue, p, p.done)
}

// write has the writer do something between its commits.
func (s *Store) write(ctx context.Context, run func(*inserter) error) error {
	t := &task{run: run, done: make(chan error, 1)}
	return hand(ctx, s.writer, s.writer.tasks, t, t.done)
}

// hand gives the writer a job and waits until it is done.
func hand[T any](ctx context.Context, w *writer, queue chan<- T, job T, done <-chan error) error {
	select {
	case <-w.closing:
		return ErrClosed
	default:
	}
	select {
	case queue <- job:
	case <-w.closing:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-done:
		return err
	case <-w.stopped:
		select {
		case err := <-done:
			return err
		default:
			return ErrClosed
		}
	}
}

func (w *writer) run() {
	defer close(w.stopped)
	for {
		select {
		case p := <-w.queue:
			w.commit(w.gather(p))
		case t := <-w.tasks:
			if err := t.run(w.insert); err != nil {
				t.done <- w.store.fail("write to store", err)
			} else {
				t.done <- nil
			}
		case <-w.closing:
			for {
				select {
				case p := <-w.queue:
					w.commit(w.gather(p))
				default:
					return
				}
			}
		}
	}
}

// gather adds to p what waits behind it.
func (w *writer) gather(p *pending) []*pending {
	group := []*pending{p}
	for n := len(p.spans); n < maxGroup; {
		select {
		case p := <-w.queue:
			group = append(group, p)
			n += len(p.spans)
		default:
			return group
		}
	}
	return group
}

func (w *writer) commit(group []*pending) {
	began := time.Now()
	err := w.insert.inTx(func() error { return w.insert.spans(group) })
	w.commits.record(time.Since(began), err)
	if err != nil {
		err = w.store.fail("write to store", err)
	}
	for _, p := range group {
		p.done <- err
	}
}

func (w *writer) close() {
	w.once.Do(func() { close(w.closing) })
	<-w.stopped
	w.insert.close()
	w.conn.Close()
}
