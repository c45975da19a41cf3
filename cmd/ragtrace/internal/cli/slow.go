package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
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
			return j.whole(writeReport(cmd.OutOrStdout(), j.narrowed()))
		}
		return j.whole(writeSlow(cmd.OutOrStdout(), j.Judgement, j.none))
	}
	return cmd
}

// writeSlow writes the answer, or none when there are no questions.
func writeSlow(w io.Writer, j *diagnose.Judgement, none string) error {
	if j.Len() == 0 {
		_, err := io.WriteString(w, none)
		return err
	}
	return report.Answer(report.NewScreen(w), j)
}

// writeReport writes r as writeJSON would, a question at a time: of a million spans the text is a gigabyte in memory else.
func writeReport(w io.Writer, r diagnose.Report) error {
	out := bufio.NewWriter(w)
	verdict, err := json.MarshalIndent(r.Verdict, "", "  ")
	if err != nil {
		return err
	}
	out.Write(bytes.TrimSuffix(verdict, []byte("\n}")))
	out.WriteString(",\n  \"questions\": [")
	end := "]"
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
	out.WriteString(end + "\n}\n")
	return out.Flush()
}

// whatCounts says what a question is.
const whatCounts = `A trace counts as a question when a span of it says ragtrace.stage=question, or
when it calls an LLM: gen_ai.operation.name=chat, openinference.span.kind=LLM,
llm.request.type=chat and the like.
`

const noQuestions = `There is no question here yet. To get the first one:

  ragtrace demo                       ask a small RAG application with cold starts
  ragtrace serve                      receive OTLP at 127.0.0.1:4317 and :4318
  export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4317
                                      before a program that sends traces is run
  ragtrace slow --from traces.json    read OTLP that something else has written

` + whatCounts
