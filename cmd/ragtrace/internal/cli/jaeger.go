package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	sources "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
)

// jaegerPrefix tells the address of a Jaeger from the name of a file, in --from.
const jaegerPrefix = "jaeger="

// lookBack is how far back a Jaeger is asked for traces, when nobody says.
const lookBack = 24 * time.Hour

// jaegerWindow is w with both ends. Clocks of other machines may be a little ahead.
func jaegerWindow(w window, now time.Time) window {
	if w.until.IsZero() {
		w.until = now.Add(5 * time.Minute)
	}
	if w.since.IsZero() {
		w.since = w.until.Add(-lookBack)
	}
	return w
}

// readJaeger reads the questions of a window from a Jaeger, or when trace is the id of one, that trace alone, whenever it was.
// A trace is in memory while it is cut; of each, only its questions stay.
func readJaeger(ctx context.Context, address string, s source, warn io.Writer) (_ *traces, err error) {
	jaeger, err := sources.NewJaeger(address)
	if err != nil {
		return nil, usagef("--from %s%v", jaegerPrefix, err)
	}
	t := &traces{none: "There is no question.\n\n" + whatCounts, spans: jaeger.Trace, close: func() error { jaeger.Close(); return nil }}
	defer func() {
		if err != nil {
			jaeger.Close()
		}
	}()
	var id model.TraceID
	if id.UnmarshalText([]byte(strings.ToLower(s.trace))) == nil {
		spans, err := jaeger.Trace(ctx, id)
		if err != nil {
			return nil, err
		}
		if spans == nil {
			return nil, fmt.Errorf("jaeger at %s has no trace %v", jaeger, id)
		}
		t.table = diagnose.TableOf(diagnose.CutTrace(spans))
		t.spans = func(context.Context, model.TraceID) ([]model.Span, error) { return spans, nil }
		return t, nil
	}

	w := jaegerWindow(s.window, time.Now())
	reading := newProgress(warn, "reading jaeger at "+jaeger.String(), "traces")
	defer reading.done()
	// A trace that comes once more has more spans than before.
	var order []model.TraceID
	questions := map[model.TraceID][]diagnose.Question{}
	read := 0
	for spans, err := range jaeger.Traces(ctx, sources.Query{Service: s.service, Since: w.since, Until: w.until}) {
		if err != nil {
			return nil, err
		}
		id := spans[0].TraceID
		cut := diagnose.CutTrace(spans)
		if _, again := questions[id]; !again && cut != nil {
			order = append(order, id)
		}
		if cut != nil {
			questions[id] = cut
		}
		read++
		reading.at(read)
	}
	reading.done()
	var all []diagnose.Question
	for _, id := range order {
		all = append(all, questions[id]...)
	}
	t.table = diagnose.TableOf(all)
	t.among = s.window.of(t.table)
	if n := jaeger.Refused(); n > 0 {
		fmt.Fprintf(warn, "warning: %d spans of jaeger at %s are broken and left out\n", n, jaeger)
	}
	if slices.ContainsFunc(all, func(q diagnose.Question) bool { return q.Number == 0 }) {
		fmt.Fprintf(warn, "warning: questions without a number of their own are counted among those that were read, from %s on\n", w.since.Local().Format(time.DateTime))
	}
	if len(t.rows()) == 0 {
		fmt.Fprintf(warn, "warning: none of the %d traces that jaeger at %s has from %s to %s is a question (--since asks for more)\n",
			read, jaeger, w.since.Local().Format(time.DateTime), w.until.Local().Format(time.DateTime))
	}
	return t, nil
}
