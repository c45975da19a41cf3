package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/index"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
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
	exclusive(cmd, "db", "from")
	return s
}

// traces are the questions of a source, and the spans that they were cut from.
type traces struct {
	table *diagnose.Table
	among func(row int) bool // tells which of them are looked at; nil for all
	none  string             // what to say when there are no questions
	bad   error              // the last of what could not be read, which warnings have told; nil when everything was
	spans func(context.Context, model.TraceID) ([]model.Span, error)
	close func() error
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

// openStore opens a store for reading.
func openStore(path string) (*store.Store, error) {
	st, err := store.OpenReadOnly(path)
	return st, noStore(path, err)
}

// noStore is err, or says what helps when there is no such file.
func noStore(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there are no traces yet: %s does not exist (receive some with ragtrace serve, make some with "+
			"ragtrace demo, or name another file with --db)", path)
	}
	return err
}

func readStore(ctx context.Context, path string, w window, warn io.Writer) (*traces, error) {
	st, err := openStore(path)
	if err != nil {
		return nil, err
	}
	t := &traces{spans: st.Trace, close: st.Close, none: noQuestions}
	reading := newProgress(warn, "reading "+path, "questions")
	defer reading.done()
	t.table, err = index.Read(ctx, st, reading.at)
	if isDamaged(err) {
		reading.done()
		fmt.Fprintf(warn, "warning: %v\n", err)
		t.bad = err
	} else if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	t.among = w.of(t.table)
	return t, nil
}

// whole is the error for an answer that leaves something out which could not be read; else it is err.
func (t *traces) whole(err error) error {
	if err == nil && t.bad != nil {
		return errors.New("a part of it could not be read, see the warnings: this is the answer without that part")
	}
	return err
}

// rows are the questions that are looked at.
func (t *traces) rows() []int {
	var rows []int
	for row := range t.table.Len() {
		if t.among == nil || t.among(row) {
			rows = append(rows, row)
		}
	}
	return rows
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
