package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/index"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	sources "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

func newImport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Put the spans of files into the store",
		Long: `Put the spans of files into the store: OTLP/JSON, one request or many; OTLP in protobuf; what the file exporter of the
OpenTelemetry Collector writes; what Jaeger's UI saves and its API answers. Any of them may be packed with gzip or zstd. The
format is recognised. "-" is the standard input.

A span that is there already is not stored again. What cannot be read is named, with its line where there are lines, and
the rest goes in; the exit code is 1 then.`,
		Example: `  ragtrace import traces.json more.json.gz
  curl -s http://localhost:16686/api/v3/traces/TRACE | ragtrace import -`,
		Args: takes(1, noLimit),
	}
	db := dbFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		st, err := store.Open(*db)
		if err != nil {
			return err
		}
		keeper := index.Keep(st, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
		defer func() {
			keeper.Close()
			err = errors.Join(err, st.Close())
		}()
		broken := 0
		for _, path := range args {
			im := &importer{store: st, stderr: cmd.ErrOrStderr(), path: path}
			if err := im.file(cmd.Context(), cmd.InOrStdin()); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), im)
			broken += im.broken + im.refused
		}
		if broken > 0 {
			return errors.New("not everything could be read")
		}
		return nil
	}
	return cmd
}

// An importer stores the spans of one file.
type importer struct {
	store  *store.Store
	stderr io.Writer
	path   string

	batch   otlp.Batch                              // what is not stored yet
	known   map[model.TraceID]map[model.SpanID]bool // what is in the store or the batch, of the batch's traces
	added   int
	before  int // there already
	refused int // spans that cannot be kept
	broken  int // other parts of the file that cannot be read
}

const (
	// importAtOnce is how many spans go into the store with one commit.
	importAtOnce = 4096
	// mostErrors is how many errors of one file are told.
	mostErrors = 20
)

// String is how much of the file went in.
func (im *importer) String() string {
	text := fmt.Sprintf("%s: %d spans new, %d there already", im.path, im.added, im.before)
	if im.refused > 0 {
		text += fmt.Sprintf(", %d refused", im.refused)
	}
	switch im.broken {
	case 0:
	case 1:
		text += ", 1 part of the file cannot be read"
	default:
		text += fmt.Sprintf(", %d parts of the file cannot be read", im.broken)
	}
	return text
}

func (im *importer) file(ctx context.Context, stdin io.Reader) error {
	r, size := &countingReader{r: stdin}, int64(0)
	if im.path != "-" {
		f, err := os.Open(im.path)
		if err != nil {
			return err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		r.r = f
	}
	reading := newProgress(im.stderr, "", "spans")
	defer reading.done()
	for batch, err := range sources.ReadFile(r) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			im.broken++
			im.warn(reading, err)
			continue
		}
		if err := refusal(batch); err != nil {
			n, _ := batch.Refusal()
			im.refused += n
			im.warn(reading, err)
		}
		if err := im.add(ctx, batch); err != nil {
			return err
		}
		reading.what = "importing " + im.path
		if size > 0 {
			reading.what += fmt.Sprintf(", %d %%", 100*r.n/size)
		}
		reading.tell(im.added + im.before)
	}
	return im.flush(ctx)
}

func (im *importer) warn(reading *progress, err error) {
	reading.done()
	switch n := im.broken + im.refused; {
	case n <= mostErrors:
		fmt.Fprintf(im.stderr, "warning: %s: %v\n", im.path, err)
	case n == mostErrors+1:
		fmt.Fprintf(im.stderr, "warning: %s: more like this is counted and not told\n", im.path)
	}
}

// add takes the spans of a batch that are not there yet.
func (im *importer) add(ctx context.Context, batch *otlp.Batch) error {
	for _, s := range batch.Spans {
		known := im.known[s.TraceID]
		if known == nil {
			ids, err := im.store.SpanIDs(ctx, s.TraceID)
			if err != nil {
				return err
			}
			known = make(map[model.SpanID]bool, len(ids))
			for _, id := range ids {
				known[id] = true
			}
			if im.known == nil {
				im.known = map[model.TraceID]map[model.SpanID]bool{}
			}
			im.known[s.TraceID] = known
		}
		if known[s.SpanID] {
			im.before++
			continue
		}
		known[s.SpanID] = true
		im.added++
		im.batch.Spans = append(im.batch.Spans, s)
	}
	if len(im.batch.Spans) < importAtOnce {
		return nil
	}
	return im.flush(ctx)
}

func (im *importer) flush(ctx context.Context) error {
	if err := im.store.Append(ctx, &im.batch); err != nil {
		return err
	}
	im.batch.Spans = nil
	clear(im.known)
	return nil
}

// A countingReader counts what was read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
