package tracer

import (
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// An answer is how a question went.
type answer struct {
	first, last time.Time // bytes to the user; zero when there were none
	end         time.Time
	failure     failure
	attrs       []attribute.KeyValue
}

func (q *Question) end(a answer) {
	q.mu.Lock()
	if q.ended {
		q.mu.Unlock()
		return
	}
	q.ended = true
	calls := q.calls
	q.calls = nil
	q.mu.Unlock()
	for _, c := range calls {
		c.abandon()
	}

	if !a.first.IsZero() && !q.inside {
		q.sent(a.first, a.last)
	}
	if q.page == "" || !pages.answered(q.page, a) {
		q.close(a)
	}
}

// close ends the span, which nothing is added to any more.
func (q *Question) close(a answer) {
	attrs := a.attrs
	q.mu.Lock()
	if len(q.flags) > 0 {
		slices.Sort(q.flags)
		q.flags = slices.Compact(q.flags)
		attrs = append(attrs, attr.Flags.StringSlice(q.flags))
	}
	q.mu.Unlock()
	attrs = a.failure.onto(q.span, attrs)
	q.span.SetAttributes(attrs...)
	q.span.End(trace.WithTimestamp(a.end))
	if !q.inside {
		q.measure(a)
	}
}

func (q *Question) measure(a answer) {
	h := q.cfg.metrics.question
	if !h.Enabled(q.ctx) {
		return
	}
	var attrs []attribute.KeyValue
	if p := q.cfg.pipeline; p != "" {
		attrs = append(attrs, attr.AgentName.String(p))
	}
	if t := a.failure.kind; t != "" {
		attrs = append(attrs, semconv.ErrorTypeKey.String(t))
	}
	record(q.ctx, h, a.end.Sub(q.start), attrs...)
}

// child makes a stage span from its times. It is made at the question's end, when the session is known.
func (q *Question) child(stage stages.Stage, start, end time.Time) {
	q.made(string(stage), stageAttrs(stage), start, end)
}

// made makes a span below the question from its times.
func (q *Question) made(name string, attrs trace.SpanStartOption, start, end time.Time) {
	ts := trace.WithTimestamp(start)
	var span trace.Span
	if id := q.id.Load(); id != nil {
		_, span = q.tracer.Start(q.ctx, name, ts, attrs, id.option)
	} else {
		_, span = q.tracer.Start(q.ctx, name, ts, attrs)
	}
	span.End(trace.WithTimestamp(end))
}

func (q *Question) flag(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flags = append(q.flags, name)
}
