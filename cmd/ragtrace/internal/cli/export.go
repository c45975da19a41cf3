package cli

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

func newExport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write spans from the store as OTLP/JSON, all or some questions'",
		Long: `Write spans from the store as OTLP/JSON, a trace on a line: everything, or the traces of one session or question, whole.
Nothing is lost on the way: import puts the very same spans into another store. Of a damaged file all is written that can
be read; what is left out is named, and the exit status says so.`,
		Example: `  ragtrace export -o traces.json.gz
  ragtrace export --question a/3 | less`,
		Args: takes(0, 0),
	}
	db := dbFlag(cmd)
	flags := cmd.Flags()
	session := flags.String("session", "", "only traces with a question of session `S`")
	question := flags.String("question", "", "only the trace of question `Q`, named as for show (3, a/3)")
	trace := flags.String("trace", "", "only the trace with this `ID`")
	out := flags.StringP("output", "o", "", "write to `FILE`, packed with gzip when its name ends in .gz")
	exclusive(cmd, "session", "question", "trace")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		var one model.TraceID
		if *trace != "" {
			if err := one.UnmarshalText([]byte(strings.ToLower(*trace))); err != nil {
				return usagef("--trace: %v", err)
			}
		}
		st, err := openStore(*db)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, st.Close()) }()
		var traces []model.TraceID
		switch {
		case *trace != "":
			if _, err := st.Trace(cmd.Context(), one); err != nil {
				return fmt.Errorf("trace %v: %w", one, err)
			}
			traces = append(traces, one)
		case *session != "" || *question != "":
			if traces, err = tracesOf(cmd, *db, *session, *question); err != nil {
				return err
			}
		}
		e := &exporter{store: st, traces: traces, progress: newProgress(cmd.ErrOrStderr(), "exporting", "spans")}
		defer e.progress.done()
		if *out == "" {
			return e.write(cmd.Context(), cmd.OutOrStdout())
		}
		return e.writeFile(cmd.Context(), *out)
	}
	return cmd
}

// tracesOf are the traces of a session's questions, or of one question, in the order in which they were asked.
func tracesOf(cmd *cobra.Command, db, session, question string) ([]model.TraceID, error) {
	t, err := readStore(cmd.Context(), db, window{}, cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	defer t.close()
	all := t.table.Judge(nil, nil).Report().Questions
	if question != "" {
		q, err := choose(all, question)
		return []model.TraceID{q.TraceID}, err
	}
	var traces []model.TraceID
	seen, sessions := map[model.TraceID]bool{}, map[string]bool{}
	var names []string
	for _, q := range all {
		if q.Session == session && !seen[q.TraceID] {
			seen[q.TraceID] = true
			traces = append(traces, q.TraceID)
		}
		if q.Session != "" && !sessions[q.Session] {
			sessions[q.Session] = true
			names = append(names, q.Session)
		}
	}
	if traces == nil {
		return nil, fmt.Errorf("no question of session %q (%s)", session, choices("sessions", names))
	}
	return traces, nil
}

// An exporter writes traces as they are in a store.
type exporter struct {
	store    *store.Store
	traces   []model.TraceID // none for all
	progress *progress
}

func (e *exporter) write(ctx context.Context, w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 1<<20)
	spans := 0
	var damaged error // which comes last
	for batch, err := range e.store.Raw(ctx, e.traces...) {
		if isDamaged(err) {
			damaged = err
			break
		}
		if err != nil {
			return err
		}
		line, err := otlp.JSON(batch)
		if err != nil {
			return err
		}
		if _, err := buffered.Write(append(line, '\n')); err != nil {
			return err
		}
		spans += len(batch.Spans)
		e.progress.tell(spans)
	}
	return cmp.Or(buffered.Flush(), damaged)
}

// isDamaged reports whether an error only names what had to be left out.
func isDamaged(err error) bool {
	_, ok := errors.AsType[*store.DamagedError](err)
	return ok
}

// writeFile writes a file that is there only when it is whole, or into what is no file, such as a pipe.
func (e *exporter) writeFile(ctx context.Context, path string) (err error) {
	var f *os.File
	info, err := os.Stat(path)
	inPlace := err == nil && !info.Mode().IsRegular()
	if inPlace {
		f, err = os.OpenFile(path, os.O_WRONLY, 0)
	} else {
		f, err = os.CreateTemp(filepath.Dir(path), ".ragtrace-*")
	}
	if err != nil {
		return err
	}
	var w io.Writer = f
	var packed *gzip.Writer
	if strings.HasSuffix(path, ".gz") {
		packed = gzip.NewWriter(f)
		w = packed
	}
	damaged := e.write(ctx, w)
	if !isDamaged(damaged) {
		err, damaged = damaged, nil
	}
	if packed != nil {
		err = errors.Join(err, packed.Close())
	}
	err = errors.Join(err, f.Close())
	switch {
	case inPlace:
		return cmp.Or(err, damaged)
	case err != nil:
		return errors.Join(err, os.Remove(f.Name()))
	}
	return cmp.Or(os.Rename(f.Name(), path), damaged)
}
