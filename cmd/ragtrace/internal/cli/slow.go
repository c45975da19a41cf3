package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

func newSlow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "slow",
		Short: "Say which question numbers took far longer than the others, and why",
		Long: `Say which question numbers took far longer than the others, how much of that was inside and outside the LLM,
what was cold, and what to do about it.

A question is compared with the median of the other questions of its service and pipeline, over all sessions: sessions
share a service's models, so the first question of a second session may well be warm. --session chooses what is listed
and changes no comparison.`,
		Args: cobra.NoArgs,
	}
	from := sourceFlags(cmd)
	session := cmd.Flags().String("session", "", "list the questions of session `S` only")
	asJSON := cmd.Flags().Bool("json", false, "write JSON: durations in milliseconds, all questions")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		t, err := from.open(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer t.close()
		r := diagnose.Judge(t.questions)
		if *session != "" {
			if r, err = narrow(r, *session); err != nil {
				return err
			}
		}
		return writeSlow(cmd.OutOrStdout(), t.questions, r, *asJSON)
	}
	return cmd
}

// narrow lists the questions of one session. The verdict's sentence, causes and side stay those of all.
func narrow(r diagnose.Report, session string) (diagnose.Report, error) {
	var sessions []string
	for _, q := range r.Questions {
		if !slices.Contains(sessions, q.Session) {
			sessions = append(sessions, q.Session)
		}
	}
	if !slices.Contains(sessions, session) {
		return r, fmt.Errorf("no question of session %q (%s)", session, choices("sessions", sessions))
	}
	r.Questions = slices.DeleteFunc(r.Questions, func(q diagnose.Result) bool { return q.Session != session })
	r.Verdict.Slow = slices.DeleteFunc(r.Verdict.Slow, func(s diagnose.Slow) bool { return s.Session != session })
	return r, nil
}

func writeSlow(w io.Writer, questions []diagnose.Question, r diagnose.Report, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(r)
	}
	if len(questions) == 0 {
		_, err := io.WriteString(w, noQuestions)
		return err
	}
	return report.Answer(report.NewScreen(w), questions, r)
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
