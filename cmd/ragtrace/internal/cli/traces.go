package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/index"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	sources "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/terminal"
)

// A source is where a command reads traces: a store, a file, or a Jaeger.
type source struct {
	db, from *string
	window   window
	service  string // of the questions that are wanted; "" for any. What is not read by service is narrowed later.
	trace    string // what may be the id of the only trace that is wanted
}

// sourceFlags adds --db and --from.
func sourceFlags(cmd *cobra.Command) source {
	s := source{db: dbFlag(cmd), from: cmd.Flags().String("from", "",
		"read `FILE` instead, which is OTLP or Jaeger's JSON, packed or not; or jaeger=http://HOST:16686")}
	cmd.MarkFlagsMutuallyExclusive("db", "from")
	return s
}

// traces are the questions of a source, and the spans that they were cut from.
type traces struct {
	questions []diagnose.Question
	spans     func(context.Context, model.TraceID) ([]model.Span, error)
	close     func() error
}

// open reads all questions. Spans that cannot be read are told to warn; what can be read counts.
func (s source) open(ctx context.Context, warn io.Writer) (*traces, error) {
	if address, ok := strings.CutPrefix(*s.from, jaegerPrefix); ok {
		return readJaeger(ctx, address, s, warn)
	}
	if *s.from != "" {
		return readFile(ctx, *s.from, s.window, warn)
	}
	return readStore(ctx, *s.db, s.window, warn)
}

func readStore(ctx context.Context, path string, w window, warn io.Writer) (*traces, error) {
	st, err := store.OpenReadOnly(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no traces yet: %s does not exist (receive some with ragtrace serve, make some with "+
			"ragtrace demo, or name another file with --db)", path)
	}
	if err != nil {
		return nil, err
	}
	t := &traces{spans: st.Trace, close: st.Close}
	reading := newProgress(warn, "reading "+path, "questions")
	defer reading.done()
	for q, err := range index.Questions(ctx, st, store.QuestionFilter{Since: w.since, Until: w.until}) {
		if err != nil {
			return nil, errors.Join(err, st.Close())
		}
		t.questions = append(t.questions, q)
		reading.at(len(t.questions))
	}
	return t, nil
}

// readFile holds the whole file's spans, since those of one trace may be anywhere in it.
func readFile(ctx context.Context, path string, w window, warn io.Writer) (*traces, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []model.Span
	var bad error
	reading := newProgress(warn, "reading "+path, "spans")
	defer reading.done()
	for batch, err := range sources.ReadFile(f) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var spans []model.Span
		if err == nil {
			spans, err = batch.Decode()
		}
		if err == nil {
			all = append(all, spans...)
			err = refusal(batch)
		}
		if err != nil {
			bad = fmt.Errorf("%s: %w", path, err)
			reading.done()
			fmt.Fprintf(warn, "warning: %v\n", bad)
		}
		reading.at(len(all))
	}
	if len(all) == 0 && bad != nil {
		return nil, fmt.Errorf("nothing could be read: %w", bad)
	}
	spans := func(_ context.Context, id model.TraceID) ([]model.Span, error) {
		var of []model.Span
		for _, s := range all {
			if s.TraceID == id {
				of = append(of, s)
			}
		}
		return of, nil
	}
	return &traces{questions: w.of(diagnose.Cut(all)), spans: spans, close: func() error { return nil }}, nil
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

// view gathers what the waterfall of q shows.
func (t *traces) view(ctx context.Context, r diagnose.Report, q diagnose.Result) (terminal.Question, error) {
	view := terminal.Question{Result: q}
	var err error
	if view.Spans, err = t.spans(ctx, q.TraceID); err != nil {
		return view, err
	}
	view.Source = q.Question.Service
	if pipeline := q.Question.Pipeline; pipeline != "" {
		view.Source += ", " + pipeline
	}
	for i, s := range r.Verdict.Slow {
		if s.TraceID == q.TraceID && s.Number == q.Number {
			view.Slow = &r.Verdict.Slow[i]
		}
	}
	return view, nil
}
