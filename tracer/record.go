package tracer

import (
	"cmp"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// record writes what the call turned out to be, and ends its span at the offset at.
func (c *call) record(f *stages.Facts, at time.Duration, err error) {
	conn := c.detach()
	c.children(f, &conn, at)
	fail := c.failure(f, err)
	if c.span.IsRecording() {
		room := 4
		if f.API != stages.APIUnknown {
			room = 28
		}
		attrs := make([]attribute.KeyValue, 0, room)
		attrs = conn.onto(attrs)
		if f.HTTPStatus != 0 {
			attrs = append(attrs, semconv.HTTPResponseStatusCode(f.HTTPStatus))
		}
		switch {
		case f.API != stages.APIUnknown:
			c.span.SetName(attr.Name(f))
			if (guess{f.Operation, f.Stage, f.System}) != c.guess {
				attrs = attr.Head(attrs, f, c.cfg.dup)
			}
		case c.guess != (guess{}):
			c.span.SetName(c.method)
			attrs = c.unknown(attr.Retract(attrs, c.guess.facts(), c.cfg.dup))
		}
		attrs = attr.Call(attrs, f)
		attrs = fail.onto(c.span, attrs)
		c.span.SetAttributes(attrs...)
		if f.Streamed && f.Marks.FirstToken.Known() {
			c.span.AddEvent(attr.EventFirstChunk, trace.WithTimestamp(c.start.Add(f.Marks.FirstToken.D)))
		}
	}
	end := c.start.Add(at)
	c.span.End(trace.WithTimestamp(end))
	if f.Stage == stages.LLM {
		c.q.called(c.start, end)
	}
	c.measure(f, at, fail)
}

// children makes the spans below the call: the set-up of its connection, and the phases inside the server. Their bars are
// fitted; the true durations are attributes of the call.
func (c *call) children(f *stages.Facts, conn *connection, at time.Duration) {
	var space [12]stages.Phase
	ps := append(conn.phases(space[:0]), f.Phases()...)
	for _, p := range ps {
		c.measurePhase(p)
	}
	if c.span.IsRecording() {
		for _, p := range fit(ps, at) {
			c.child(p)
		}
	}
}

// fit puts phases in order and cuts them, in place, so that they lie between 0 and end and each ends at least spanGap
// before the next begins. What nothing is left of is dropped.
func fit(ps []stages.Phase, end time.Duration) []stages.Phase {
	slices.SortStableFunc(ps, func(a, b stages.Phase) int { return cmp.Compare(a.Start, b.Start) })
	after := time.Duration(0) // where the next may begin
	fitted := ps[:0]
	for i, p := range ps {
		p.Start, p.End = max(p.Start, after), min(p.End, end)
		if i+1 < len(ps) {
			p.End = min(p.End, ps[i+1].Start-spanGap)
		}
		if p.Start < p.End {
			fitted = append(fitted, p)
			after = p.End + spanGap
		}
	}
	return fitted
}

// child makes a phase span. It carries nothing below gen_ai.: readers would take it for a call.
func (c *call) child(p stages.Phase) {
	attrs := make([]attribute.KeyValue, 0, 6)
	attrs = append(attrs,
		attr.Stage.String(string(p.Stage)),
		attr.InsideLLM.Bool(p.Stage.InsideLLM()),
		attr.TimingSource.String(string(p.Source)),
		attr.SpanKind.String("CHAIN"))
	attrs = append(attrs, c.q.identity().plain()...)
	_, span := c.tracer.Start(c.ctx, p.Name, trace.WithTimestamp(c.start.Add(p.Start)), trace.WithAttributes(attrs...))
	span.End(trace.WithTimestamp(c.start.Add(p.End)))
}

// failure is what went wrong, if anything did. The server's own words are quoted, except where they may quote the request:
// servers that refuse an input (400, 413, 422) like to show it.
func (c *call) failure(f *stages.Facts, err error) failure {
	status := f.HTTPStatus
	switch {
	case status >= 400:
		fail := failureOfStatus(status)
		if words := f.Error; words != "" && status != 400 && status != 413 && status != 422 {
			fail.text = short(words)
		}
		return fail
	case f.Status == stages.StatusCancelled:
		if err == nil {
			return failure{canceled, "the answer was closed before its end"}
		}
		return failureOf(err)
	case f.Status == stages.StatusOK:
		return failure{}
	case err != nil:
		return failureOf(err)
	case f.Status == stages.StatusError:
		return failure{"server_error", short(f.Error)}
	}
	return failure{} // incomplete: the finish reason says so
}
