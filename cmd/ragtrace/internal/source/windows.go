package source

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strconv"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A Query chooses traces by one of their spans. Since and Until are required.
type Query struct {
	Service      string    // the span's; "" for any
	Since, Until time.Time // the span started in [Since, Until], as exactly as Jaeger's store knows
}

// leastWindow is the shortest time that is asked for by itself. Some stores know no less than a microsecond.
const leastWindow = time.Microsecond

// Traces reads whole traces, one at a time. An error ends the sequence. A trace of which more spans have come in the
// meantime comes once more: the last time counts. Traces that have nothing to do with questions come too, as one attribute
// cannot say which these are.
//
// The API has no pages, and what does not fit into an answer is left out of it without a word. So the time is walked in
// windows: one whose answer is full is halved, and they grow again where there is little.
func (j *Jaeger) Traces(ctx context.Context, q Query) iter.Seq2[[]model.Span, error] {
	return func(yield func([]model.Span, error) bool) {
		services := []string{q.Service}
		if q.Service == "" {
			var err error
			if services, err = j.Services(ctx); err != nil {
				yield(nil, err)
				return
			}
		}
		sizes := map[model.TraceID]int{}
		for _, service := range services {
			more, err := j.walk(ctx, service, q, func(spans []model.Span) bool {
				// The trace of another service or window, with nothing new to it?
				id := spans[0].TraceID
				if len(spans) <= sizes[id] {
					return true
				}
				sizes[id] = len(spans)
				return yield(spans, nil)
			})
			if err != nil {
				yield(nil, err)
			}
			if err != nil || !more {
				return
			}
		}
	}
}

// walk yields the traces of one service until yield has enough, when more is false.
func (j *Jaeger) walk(ctx context.Context, service string, q Query, yield func([]model.Span) bool) (more bool, err error) {
	width := q.Until.Sub(q.Since)
	for from := q.Since; from.Before(q.Until); {
		to := from.Add(width)
		if to.After(q.Until) {
			to = q.Until
		}
		group, err := j.window(ctx, service, from, to)
		full := errors.Is(err, errTooLarge) || err == nil && len(group.order) >= j.depth
		switch {
		case errors.Is(err, errTooDeep) && j.depth > 1:
			j.depthRefused = j.depth
			j.depth /= 2
			continue
		case full && width > leastWindow:
			width = max(width/2, leastWindow)
			continue
		case full && err == nil && 2*j.depth < j.depthRefused:
			j.depth *= 2 // so many start in the same microsecond
			continue
		case full:
			return false, fmt.Errorf("jaeger at %s: more traces of service %q start at %s than it gives out at once", j, service, from.Format(time.RFC3339Nano))
		case err != nil:
			return false, err
		}
		for _, id := range group.order {
			if !yield(group.spans[id]) {
				return false, nil
			}
		}
		j.refused += group.refused
		if len(group.order) < j.depth/4 {
			width *= 2
		}
		from = to
	}
	return true, nil
}

// window reads the traces with a span that starts in [from, to], as far as they fit into the answer.
func (j *Jaeger) window(ctx context.Context, service string, from, to time.Time) (*traces, error) {
	group := &traces{}
	// Of the two spellings of the parameters every version knows this one, and only newer ones the other. Without num_traces
	// old ones fail.
	_, err := j.get(ctx, "traces", url.Values{
		"query.service_name":   {service},
		"query.start_time_min": {from.UTC().Format(time.RFC3339Nano)},
		"query.start_time_max": {to.UTC().Format(time.RFC3339Nano)},
		"query.num_traces":     {strconv.Itoa(j.depth)},
		"query.raw_traces":     {"true"},
	}, group.read)
	return group, err
}
