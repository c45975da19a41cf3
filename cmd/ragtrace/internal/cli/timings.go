package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/timings"
)

const timingsHelp = `Say how long an answer of a model server took, and where: load, queue, prefill and decode as the server reports them;
TTFT, TPOT, ITL and E2E on the ruler that the input allows, which is named beside each figure.

An input is standard input (- or nothing), or files: bodies as curl saves them, plain or streamed, with their head (curl
-i) or without; or exchange recordings, as ragtrace ask --record writes them. What server it was shows in the answer.

  TTFT  time to the first token of any kind; TTFA, to the first of the answer itself, after any thinking
  TPOT  time per output token after the first: (end - first) / (tokens - 1)
  ITL   time between two events with tokens; one event may hold several tokens
  E2E   to the finish of the answer

  a pipe       curl -sN URL -d BODY | ragtrace timings
               each read is stamped as it arrives; the clock begins with the first read, about when curl begins
  a body       curl -s URL -d '{..., "stream": false}' | ragtrace timings; ragtrace timings saved.json
               has no arrival times: the server's own figures, and no ITL
  a recording  has the client's clock, from right before connecting

Of several inputs, the first run of each backend and model is a warm-up and left out of p50 and p95.
The exit code is 1 when an input cannot be read, or when none of them is an answer that came whole.`

func newTimings() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "timings [FILE|-]...",
		Short: "Say how long one answer of a model server took, and where",
		Long:  timingsHelp,
		Example: `  curl -sN http://127.0.0.1:11434/api/generate \
    -d '{"model":"llama3.2","prompt":"why?"}' | ragtrace timings
  ragtrace timings recordings/*.json`,
	}
	asJSON := cmd.Flags().Bool("json", false, "write JSON: times in milliseconds; an object for one input, an array for several")
	bench := cmd.Flags().Bool("bench-compat", false, "measure ttft, tpot, itl and e2el as vllm bench serve defines them")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{"-"}
		}
		results, err := readInputs(cmd, args)
		if len(results) == 0 {
			return err
		}
		err = errors.Join(writeTimings(cmd.OutOrStdout(), results, len(args) > 1, *asJSON, *bench), err)
		if err == nil && !slices.ContainsFunc(results, (*timings.Result).OK) {
			err = errors.New("no input is an answer that came whole and without an error")
		}
		return err
	}
	return cmd
}

// readInputs reads what can be read. Of several, each that cannot is told to standard error, and counted in the error.
func readInputs(cmd *cobra.Command, names []string) ([]*timings.Result, error) {
	var results []*timings.Result
	var last error
	failed := 0
	for _, name := range names {
		r, err := readInput(cmd.Context(), name, cmd.InOrStdin())
		if _, usage := errors.AsType[usageError](err); usage {
			return nil, err
		}
		if err != nil {
			failed, last = failed+1, err
			if len(names) > 1 {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", cmd.CommandPath(), err)
			}
			continue
		}
		results = append(results, r)
	}
	if failed > 0 && len(names) > 1 {
		return results, fmt.Errorf("%d of %d inputs could not be read", failed, len(names))
	}
	return results, last
}

func readInput(ctx context.Context, name string, stdin io.Reader) (*timings.Result, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return timings.Read(ctx, name, f, isLive(f))
	}
	f, ok := stdin.(*os.File)
	if ok && term.IsTerminal(int(f.Fd())) {
		return nil, usagef("standard input is a terminal: pipe an answer into it, as in curl -sN URL -d BODY | ragtrace timings, or " +
			"name a file")
	}
	return timings.Read(ctx, "standard input", stdin, !ok || isLive(f))
}

// isLive reports whether the file's bytes may still be coming.
func isLive(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && !info.Mode().IsRegular()
}

// writeTimings writes one result, or several together.
func writeTimings(w io.Writer, results []*timings.Result, several, asJSON, bench bool) error {
	s := report.NewScreen(w)
	switch {
	case asJSON:
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		return out.Encode(timingsJSON(results, several, bench))
	case bench:
		return timings.Bench(s, results)
	case several:
		return timings.Table(s, results)
	}
	return timings.Single(s, results[0])
}

func timingsJSON(results []*timings.Result, several, bench bool) any {
	switch {
	case bench && several:
		all := make([]timings.BenchJSON, len(results))
		for i, r := range results {
			all[i] = r.BenchJSON()
		}
		return all
	case bench:
		return results[0].BenchJSON()
	case several:
		return timings.AllJSON(results)
	}
	return results[0].JSON()
}
