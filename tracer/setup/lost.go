package setup

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/ragtrace/ragtrace/tracer"
)

// Why spans are lost: the values of the attribute reason of the metric ragtrace.spans.lost.
const (
	reasonQueueFull = "queue_full"    // the collector takes them more slowly than they come
	reasonFailed    = "export_failed" // the collector refused them, or was not there
	reasonShutdown  = "shutdown"      // the program ended first
)

// reportEvery is the time between two log lines on lost spans.
const reportEvery = time.Minute

// Lost is the number of ended and sampled spans of this process that were not sent, since it started.
func Lost() int64 { return lost.total() }

var lost losses

// losses are counted without waiting, and reported by the goroutine that sends.
type losses struct {
	n atomic.Int64

	mu       sync.Mutex
	last     error // of an export
	reported int64
	at       time.Time
}

func (l *losses) total() int64 { return l.n.Load() }

func (l *losses) add(reason string, n int64) {
	l.n.Add(n)
	if c := counter(); c != nil {
		c.Add(context.Background(), n, metric.WithAttributes(attribute.String("reason", reason)))
	}
}

func (l *losses) failed(n int64, err error) {
	if n > 0 {
		l.add(reasonFailed, n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.last = err
	}
}

// cause is the last export's error, else err, which it then is from now on.
func (l *losses) cause(err error) error {
	if err == nil {
		err = errors.New("the collector takes them more slowly than they come")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		l.last = err
	}
	return l.last
}

// report logs what was lost since the last line, unless that was less than a minute ago and this is not the end.
func (l *losses) report(final bool) {
	l.mu.Lock()
	total, now := l.total(), time.Now()
	fresh := total - l.reported
	if fresh == 0 || !final && !l.at.IsZero() && now.Sub(l.at) < reportEvery {
		l.mu.Unlock()
		return
	}
	l.reported, l.at = total, now
	last := l.last
	l.mu.Unlock()
	slog.Warn("ragtrace: spans were lost", "spans", fresh, "total", total, "last_error", last)
}

// counter belongs to the global meter provider, and counts when one is set.
var counter = sync.OnceValue(func() metric.Int64Counter {
	c, err := otel.Meter(tracer.ScopeName).Int64Counter("ragtrace.spans.lost", metric.WithUnit("{span}"),
		metric.WithDescription("Spans that were not sent to the collector."))
	if err != nil {
		otel.Handle(err)
	}
	return c
})
