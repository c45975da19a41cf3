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
	calls, flags := q.calls, q.flags
	q.calls = nil
	q.mu.Unlock()
	for _, c := range calls {
		c.abandon()
	}

	if !a.first.IsZero() && !q.inside {
		q.child(stages.Answer, a.first, a.last)
	}
	attrs := a.attrs
	if len(flags) > 0 {
		slices.Sort(flags)
		attrs = append(attrs, attr.Flags.StringSlice(slices.Compact(flags)))
	}
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
	ts := trace.WithTimestamp(start)
	var span trace.Span
	if id := q.id.Load(); id != nil {
		_, span = q.tracer.Start(q.ctx, string(stage), ts, stageAttrs(stage), id.option)
	} else {
		_, span = q.tracer.Start(q.ctx, string(stage), ts, stageAttrs(stage))
	}
	span.End(trace.WithTimestamp(end))
}

func (q *Question) flag(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flags = append(q.flags, name)
}
