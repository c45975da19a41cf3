package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// warm is the operand that means the warm peers of the other one.
const warm = "warm"

func newCompare() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say what took longer in B than in A, component by component",
		Long: `Say what took longer in B than in A, component by component, and what share of the difference each has.

A and B are two questions, named as for show (3, a/3, a trace id): what differs between them.
Or a question and "warm": how far it is from the median of the other warm questions of its service and pipeline, which are
those that ended well and had nothing cold.
Or two files, each a database of ragtrace or OTLP/JSON: what a change did, by the medians of all their questions that ended
well. With five values or more on both sides the difference has a 95 % bootstrap interval, always the same one for the same
values; where it spans zero, no difference is shown.` + filterHelp,
		Example: `  ragtrace compare a/1 a/3
  ragtrace compare a/1 warm
  ragtrace compare before.db after.db --number 1`,
		Args: takes(2, 2),
	}
	from := filterFlags(cmd)
	asJSON := cmd.Flags().Bool("json", false, "write JSON: times in milliseconds")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		files, err := areFiles(args)
		if err != nil {
			return err
		}
		var c stats.Comparison
		var names []string
		var read []*traces
		if files {
			names = []string{filepath.Base(args[0]), filepath.Base(args[1])}
			if names[0] == names[1] {
				names = args
			}
			c, err = compareFiles(cmd, from, args, &read)
		} else {
			c, names, err = compareQuestions(cmd, from, args, &read)
		}
		if err != nil {
			return err
		}
		if *asJSON {
			err = writeJSON(cmd.OutOrStdout(), c)
		} else {
			err = report.Compare(report.NewScreen(cmd.OutOrStdout()), names[0], names[1], c)
		}
		for _, t := range read {
			err = t.whole(err)
		}
		return err
	}
	return cmd
}

// areFiles tells two files from two questions.
func areFiles(args []string) (bool, error) {
	var is [2]bool
	for i, arg := range args {
		info, err := os.Stat(arg)
		is[i] = err == nil && info.Mode().IsRegular()
	}
	for i := range args {
		// A question may be called like a file that happens to be there; a name with a dot was meant as one.
		if other := args[1-i]; is[i] && !is[1-i] && strings.ContainsAny(args[i], "./") {
			return false, usagef("%s is a file and %s is none: name two files, or two questions", args[i], other)
		}
	}
	return is[0] && is[1], nil
}

// compareFiles adds what it read to read.
func compareFiles(cmd *cobra.Command, f *filters, paths []string, read *[]*traces) (c stats.Comparison, err error) {
	if cmd.Flags().Changed("db") || cmd.Flags().Changed("from") {
		return c, usagef("two files are named already: leave --db and --from out")
	}
	if err := f.check(cmd); err != nil {
		return c, err
	}
	var sides [2]*judged
	for i, path := range paths {
		t, err := openFile(cmd.Context(), path, f.source.window, cmd.ErrOrStderr())
		if err != nil {
			return c, err
		}
		defer t.close()
		*read = append(*read, t)
		sides[i] = f.judge(t)
		if err := sides[i].mustChoose(); err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
	}
	a, b := sides[0], sides[1]
	if several := pipelines(slices.Concat(a.narrowed().Questions, b.narrowed().Questions)); len(several) > 1 {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: the medians are over several pipelines (%s)\n", choices("they are", several))
	}
	c = stats.Compare(a.Report().Questions, b.Report().Questions, a.filter, b.filter)
	for i, side := range []stats.Side{c.A, c.B} {
		if side.Questions == 0 {
			return c, fmt.Errorf("%s: no question ended well, so there is nothing to compare", paths[i])
		}
	}
	return c, nil
}

// pipelines are the services and pipelines of questions.
func pipelines(questions []diagnose.Result) []string {
	var names []string
	for _, r := range questions {
		if name := r.Question.Service + ", " + r.Question.Pipeline; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// openFile reads a database or a file of OTLP/JSON, whichever it is.
func openFile(ctx context.Context, path string, w window, warn io.Writer) (*traces, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	// https://www.sqlite.org/fileformat2.html#the_database_header
	magic := []byte("SQLite format 3\x00")
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	f.Close()
	if err == nil && bytes.Equal(head, magic) {
		return readStore(ctx, path, w, warn)
	}
	return readFile(ctx, path, w, warn)
}

// compareQuestions adds what it read to read.
func compareQuestions(cmd *cobra.Command, f *filters, args []string, read *[]*traces) (c stats.Comparison, names []string, err error) {
	if args[0] == warm && args[1] == warm {
		return c, nil, usagef("compare a question with warm, or two questions")
	}
	j, err := f.load(cmd)
	if err != nil {
		return c, nil, err
	}
	defer j.close()
	*read = append(*read, j.traces)
	var sides [2][]diagnose.Result
	names = make([]string, 2)
	all := j.Report().Questions
	told := slices.DeleteFunc(slices.Clone(all), func(q diagnose.Result) bool { return !j.filter.Question(&q) })
	for i, arg := range args {
		if arg == warm {
			continue
		}
		q, err := choose(told, arg)
		if err != nil {
			return c, nil, err
		}
		if !stats.Compared(&q) {
			return c, nil, fmt.Errorf("%s ended as %s: only questions that ended well are compared", report.Name(q.Session, q.Number), q.Status)
		}
		sides[i], names[i] = []diagnose.Result{q}, report.Name(q.Session, q.Number)
	}
	for i, arg := range args {
		if arg != warm {
			continue
		}
		sides[i] = stats.WarmPeers(all, &sides[1-i][0])
		if len(sides[i]) == 0 {
			return c, nil, fmt.Errorf("%s has no warm question of its service and pipeline beside it", names[1-i])
		}
		names[i] = "the other warm ones of its service and pipeline"
	}
	return stats.Compare(sides[0], sides[1], stats.Filter{}, stats.Filter{}), names, nil
}
