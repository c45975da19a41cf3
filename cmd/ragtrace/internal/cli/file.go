package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	sources "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
)

// readFile reads the questions of a file. The spans of a trace may be anywhere in it, so a trace is held until it has as
// many spans as the file seems to have of it; where that cannot be told, or not be trusted, all are held to the end.
func readFile(ctx context.Context, path string, w window, warn io.Writer) (*traces, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &traces{close: func() error { return nil }}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	again := info.Mode().IsRegular() // a pipe is read once
	r := fileReader{ctx: ctx, path: path, warn: warn}
	if again {
		r.expected = sources.Census(f)
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	err = r.read(f)
	if errors.Is(err, errMiscounted) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		r = fileReader{ctx: ctx, path: path, warn: warn, warned: r.warned}
		err = r.read(f)
	}
	if err != nil {
		return nil, err
	}
	if r.spans == 0 && r.bad == nil {
		if again && info.Size() == 0 {
			return nil, fmt.Errorf("%s is empty: it holds no spans", path)
		}
		fmt.Fprintf(warn, "warning: %s holds no spans\n", path)
	}
	t.bad = r.bad
	t.none = noneIn(path, r.spans, len(r.held)+len(r.cut))
	t.table = diagnose.TableOf(r.questions)
	t.among = w.of(t.table)
	t.spans = func(ctx context.Context, id model.TraceID) ([]model.Span, error) {
		if again {
			return spansIn(ctx, path, id)
		}
		return r.held[id], nil
	}
	return t, nil
}

// noneIn says that there is no question among so many spans, and what would be one.
func noneIn(path string, spans, traces int) string {
	return fmt.Sprintf("None of the %d traces (%d spans) in %s is a question.\n\n%s", traces, spans, path, whatCounts)
}

// errMiscounted says that a trace has more spans than the file seemed to have of it.
var errMiscounted = errors.New("a trace was cut too early")

// A fileReader makes questions of a file's spans.
type fileReader struct {
	ctx      context.Context
	path     string
	warn     io.Writer
	expected map[model.TraceID]int // spans by trace; nil when unknown

	spans     int
	held      map[model.TraceID][]model.Span
	cut       map[model.TraceID]bool
	questions []diagnose.Question
	warned    map[string]bool
	bad       error
	untold    string // the last warning, as long as nothing could be read: it may be all that there is to say
}

func (r *fileReader) read(f io.Reader) error {
	r.held, r.cut = make(map[model.TraceID][]model.Span), make(map[model.TraceID]bool)
	if r.warned == nil {
		r.warned = make(map[string]bool)
	}
	reading := newProgress(r.warn, "reading "+r.path, "spans")
	defer reading.done()
	for batch, err := range sources.ReadFile(f) {
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		var spans []model.Span
		if err == nil {
			spans, err = batch.Decode()
		}
		if err == nil {
			if err := r.take(spans); err != nil {
				return err
			}
			if len(spans) > 0 {
				r.tellNow()
			}
			err = refusal(batch)
		}
		if err != nil {
			reading.done()
			r.tell(err)
		}
		reading.at(r.spans)
	}
	if r.spans == 0 && r.bad != nil {
		return fmt.Errorf("nothing could be read: %w", r.bad)
	}
	for _, spans := range r.held {
		r.add(spans)
	}
	return nil
}

// take holds spans, and cuts the traces that are whole.
func (r *fileReader) take(spans []model.Span) error {
	r.spans += len(spans)
	for _, s := range spans {
		id := s.TraceID
		if r.cut[id] {
			return errMiscounted
		}
		r.held[id] = append(r.held[id], s)
	}
	if r.expected == nil {
		return nil
	}
	for _, s := range spans {
		if held := r.held[s.TraceID]; len(held) > 0 && len(held) == r.expected[s.TraceID] {
			r.add(held)
			delete(r.held, s.TraceID)
			r.cut[s.TraceID] = true
		}
	}
	return nil
}

func (r *fileReader) add(trace []model.Span) {
	r.questions = append(r.questions, diagnose.CutTrace(trace)...)
}

// tell warns of what cannot be read, once although the file may be read twice.
func (r *fileReader) tell(err error) {
	r.bad = fmt.Errorf("%s: %w", r.path, err)
	text := r.bad.Error()
	if r.warned[text] {
		return
	}
	r.warned[text] = true
	r.tellNow()
	r.untold = text
	if r.spans > 0 {
		r.tellNow()
	}
}

// tellNow tells what is still untold.
func (r *fileReader) tellNow() {
	if r.untold != "" {
		fmt.Fprintf(r.warn, "warning: %s\n", r.untold)
		r.untold = ""
	}
}

// spansIn are the spans of one trace of a file.
func spansIn(ctx context.Context, path string, id model.TraceID) ([]model.Span, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var of []model.Span
	for batch, err := range sources.ReadFile(f) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil {
			continue // it was told when the questions were read
		}
		batch.Spans = slices.DeleteFunc(batch.Spans, func(s otlp.Span) bool { return s.TraceID != id })
		spans, err := batch.Decode()
		if err != nil {
			continue
		}
		of = append(of, spans...)
	}
	return of, nil
}

// refusal is the error for spans of a file that cannot be kept.
func refusal(b *otlp.Batch) error {
	n, reasons := b.Refusal()
	switch {
	case n == 0:
		return nil
	case b.Line > 0:
		return &otlp.LineError{Line: b.Line, Err: fmt.Errorf("%d spans refused (%s)", n, reasons)}
	}
	return fmt.Errorf("%d spans refused (%s)", n, reasons)
}
