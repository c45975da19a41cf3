package cli

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

func newStats() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Percentiles of TTFT, TPOT, E2E and the stages, warm and cold apart",
		Long: `Percentiles (p50, p95) of TTFT, TTFA, TPOT, ITL, E2E and every component, by backend and model, warm and cold apart, and
the throughput.

Percentiles are worked out by linear interpolation between the nearest ranks, as numpy and vllm bench do; a p95 of fewer
than 20 values is marked. Questions that did not end well are counted by status and are in no percentile. TTFT is told by
the ruler it was measured with: from Enter to the user's first token (to the answer's first byte where no span tells of a token), from the client's start of an LLM call to its first
token, or from the call's arrival at the server; values of different rulers are never put together. There is no mean.` + filterHelp,
		Example: `  ragtrace stats
  ragtrace stats --model llama3.2:3b --since 7d
  ragtrace stats --storage`,
		Args: takes(0, 0),
	}
	from := filterFlags(cmd)
	asJSON := cmd.Flags().Bool("json", false, "write JSON: times in milliseconds")
	storage := cmd.Flags().Bool("storage", false, "tell what the database holds and what that takes on disk, instead")
	exclusive(cmd, "storage", "from")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *storage {
			return writeStorage(cmd.Context(), cmd.OutOrStdout(), *from.source.db, *asJSON)
		}
		j, err := from.load(cmd)
		if err != nil {
			return err
		}
		defer j.close()
		if err := j.mustChoose(); err != nil {
			return err
		}
		sum := stats.SummariseJudged(j.table, j.Judgement, j.filter)
		switch {
		case *asJSON:
			return j.whole(writeJSON(cmd.OutOrStdout(), sum))
		case j.Len() == 0:
			_, err := io.WriteString(cmd.OutOrStdout(), j.none)
			return j.whole(err)
		}
		return j.whole(report.Stats(report.NewScreen(cmd.OutOrStdout()), sum))
	}
	return cmd
}

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}
