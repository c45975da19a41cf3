package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

func newSlow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "slow",
		Short: "Say which question numbers took far longer than others, and why",
		Long: `Say which question numbers took far longer than the others, how much of that was inside and outside the LLM,
what was cold, and what to do about it.

A question is compared with the median of the other questions of its service and pipeline, over all sessions: sessions
share a service's models, so the first question of a second session may well be warm.` + filterHelp,
		Example: `  ragtrace slow
  ragtrace slow --service docs-app --since 12h
  ragtrace slow --from traces.json --number 1`,
		Args: takes(0, 0),
	}
	from := filterFlags(cmd)
	asJSON := cmd.Flags().Bool("json", false, "write JSON: durations in milliseconds, all questions")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		j, err := from.load(cmd)
		if err != nil {
			return err
		}
		defer j.close()
		if err := j.mustChoose(); err != nil {
			return err
		}
		if *asJSON {
			return writeReport(cmd.OutOrStdout(), j.narrowed())
		}
		return writeSlow(cmd.OutOrStdout(), j.Judgement)
	}
	return cmd
}

func writeSlow(w io.Writer, j *diagnose.Judgement) error {
	if j.Len() == 0 {
		_, err := io.WriteString(w, noQuestions)
		return err
	}
	return report.Answer(report.NewScreen(w), j)
}

// writeReport writes r as writeJSON would, a question at a time: of a million spans the text is a gigabyte in memory else.
func writeReport(w io.Writer, r diagnose.Report) error {
	out := bufio.NewWriter(w)
	end := "]"
	out.WriteString("{\n  \"questions\": [")
	for i, q := range r.Questions {
		question, err := json.MarshalIndent(q, "    ", "  ")
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		out.Write(question)
		end = "\n  ]"
	}
	verdict, err := json.MarshalIndent(r.Verdict, "  ", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s,\n  \"verdict\": %s\n}\n", end, verdict)
	return out.Flush()
}

const noQuestions = `There is no question here yet. To get the first one:

  ragtrace demo                        ask a small RAG application with cold starts
  ragtrace serve                       receive OTLP at 127.0.0.1:4317 and :4318, and then
  export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4317
                                       in front of a program that sends traces
  ragtrace slow --from traces.json     read OTLP/JSON that something else has written

A trace counts as a question when a span of it says ragtrace.stage=question, or
when it calls an LLM.
`
