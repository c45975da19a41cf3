package store

import (
	"context"
	"database/sql"
	"sync"

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
	closing chan struct{}
	once    sync.Once
	stopped chan struct{}
}

type pending struct {
	spans []otlp.Span
	done  chan error // has room for the one answer
}

func newWriter(s *Store) (*writer, error) {
	ctx := context.Background()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	insert, err := newInserter(ctx, conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	w := &writer{
		store: s, conn: conn, insert: insert,
		queue:   make(chan *pending, maxQueued),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
	}
	go w.run()
	return w, nil
}

// Append stores the spans of a batch and returns when they are committed. After an error none of them, or all, may be
// stored; trying again is safe, as a span that is there already is not stored twice. b must not change meanwhile.
func (s *Store) Append(ctx context.Context, b *otlp.Batch) error {
	if len(b.Spans) == 0 {
		return nil
	}
	w := s.writer
	p := &pending{spans: b.Spans, done: make(chan error, 1)}
	select {
	case <-w.closing:
		return ErrClosed
	default:
	}
	select {
	case w.queue <- p:
	case <-w.closing:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-p.done:
		return err
	case <-w.stopped:
		select {
		case err := <-p.done:
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
	err := w.insert.group(group)
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
