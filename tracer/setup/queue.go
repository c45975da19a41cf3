package setup

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A queue is the SDK's batch processor with a count of what it loses. The SDK's own drops spans in silence when its queue
// is full; here no more are let in than it can hold.
type queue struct {
	batch   sdktrace.SpanProcessor
	sender  *sender
	limit   int64
	held    *atomic.Int64 // spans let in and not sent yet
	stopped atomic.Bool
}

func newQueue(e sdktrace.SpanExporter) *queue {
	q := &queue{limit: maxQueueSize(), held: new(atomic.Int64)}
	aborted, abort := context.WithCancel(context.Background())
	q.sender = &sender{SpanExporter: e, held: q.held, aborted: aborted, abort: abort}
	q.batch = sdktrace.NewBatchSpanProcessor(q.sender, sdktrace.WithMaxQueueSize(int(q.limit)))
	return q
}

// maxQueueSize is what the SDK takes from the environment.
func maxQueueSize() int64 {
	if n, err := strconv.Atoi(os.Getenv("OTEL_BSP_MAX_QUEUE_SIZE")); err == nil && n > 0 {
		return int64(n)
	}
	return sdktrace.DefaultMaxQueueSize
}

// OnStart implements [sdktrace.SpanProcessor].
func (q *queue) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements [sdktrace.SpanProcessor]. It never waits.
func (q *queue) OnEnd(s sdktrace.ReadOnlySpan) {
	switch {
	case !s.SpanContext().IsSampled():
	case q.stopped.Load():
		lost.add(reasonShutdown, 1)
	case q.held.Add(1) > q.limit:
		q.held.Add(-1)
		lost.add(reasonQueueFull, 1)
	default:
		q.batch.OnEnd(s)
	}
}

// ForceFlush implements [sdktrace.SpanProcessor].
func (q *queue) ForceFlush(ctx context.Context) error { return q.batch.ForceFlush(ctx) }

// Shutdown implements [sdktrace.SpanProcessor]. What cannot be sent before ctx ends is lost.
func (q *queue) Shutdown(ctx context.Context) error {
	if q.stopped.Swap(true) {
		return nil
	}
	before := lost.total()
	err := q.batch.Shutdown(ctx)
	q.sender.stop()
	if left := q.held.Load(); err != nil && left > 0 {
		lost.add(reasonShutdown, left)
	}
	defer lost.report(true)
	if n := lost.total() - before; n > 0 {
		return fmt.Errorf("ragtrace setup: spans not sent: %d: %w", n, lost.cause(err))
	}
	return err
}

// A sender counts what the exporter does with spans, and lets go of it at the end of a shutdown.
type sender struct {
	sdktrace.SpanExporter
	held    *atomic.Int64
	aborted context.Context
	abort   context.CancelFunc
	busy    sync.Mutex // held while the exporter works
}

// stop gives up what is under way, and waits a moment for its error, which says why nothing was sent.
func (s *sender) stop() {
	s.abort()
	for range 10 {
		if s.busy.TryLock() {
			s.busy.Unlock()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// ExportSpans implements [sdktrace.SpanExporter]. It is called by one goroutine of the batch processor. Its error is
// counted and reported here, and would otherwise be logged for every batch.
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	s.busy.Lock()
	defer s.busy.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.aborted, cancel)()
	err := s.SpanExporter.ExportSpans(ctx, spans)
	if s.aborted.Err() != nil {
		if err != context.Canceled { // which would only say that it was given up
			lost.failed(0, err)
		}
		return nil // counted by Shutdown
	}
	s.held.Add(-int64(len(spans)))
	if err != nil {
		lost.failed(int64(len(spans)), err)
	}
	lost.report(false)
	return nil
}
