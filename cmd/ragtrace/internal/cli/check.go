package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/gate"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

func newCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check EXPRESSION...",
		Short: "Fail a build when questions take longer or are colder than allowed",
		Long: `Fail a build when questions take longer, or are colder, than they may. The exit code is 0 when every expression holds, 1
when one does not (the questions that broke it are listed) or a part of the input cannot be read, 2 for an expression that
cannot be understood.

An expression is a function, an operator (< <= > >= == !=) and a limit:

  p50(METRIC), max(METRIC)  against a duration: 1500ms, 1.5s; any of p1 to p99
  share(PART)               the median of a part's shares of E2E, against 40%
  count(), count(METRIC)    questions that ended well, or values of METRIC
  cold(), cold(COST)        questions with a cold cost
  failed(), failed(STATUS)  questions that did not end well

` + strings.Join(report.Wrap("METRIC is one of "+strings.Join(stats.Names(), ", ")+".", 120), "\n") + `
Further arguments choose questions: number=1, session=S, model=M, service=S, warm, cold.

An expression for which there is no value fails: a test that asked nothing is no success.` + filterHelp,
		Example: `  ragtrace check 'p95(ttft) < 1500ms' 'p95(e2e, number=1) < 3s'
  ragtrace check --db run.db 'share(outside) < 40%' 'cold(llm_load) == 0'`,
		Args: takes(1, noLimit),
	}
	from := filterFlags(cmd)
	asJSON := cmd.Flags().Bool("json", false, "write JSON: times in milliseconds")
	junit := cmd.Flags().String("junit", "", "write JUnit XML to `FILE` as well")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var checks []*gate.Expr
		for _, arg := range args {
			e, err := gate.Parse(arg)
			if bad, ok := errors.AsType[*gate.SyntaxError](err); ok {
				return usagef("%s", pointAt(bad))
			}
			checks = append(checks, e)
		}
		j, err := from.load(cmd)
		if err != nil {
			return err
		}
		defer j.close()
		var outcomes []gate.Outcome
		failed := 0
		results := j.Report().Questions
		for _, e := range checks {
			o := e.Check(results, j.filter)
			outcomes = append(outcomes, o)
			if !o.Pass {
				failed++
			}
		}
		if *junit != "" {
			if err := writeJUnit(*junit, outcomes); err != nil {
				return err
			}
		}
		if *asJSON {
			err = writeJSON(cmd.OutOrStdout(), struct {
				Pass   bool           `json:"pass"`
				Checks []gate.Outcome `json:"checks"`
			}{failed == 0 && j.bad == nil, outcomes})
		} else {
			err = report.Check(report.NewScreen(cmd.OutOrStdout()), outcomes)
		}
		if err == nil && failed > 0 {
			err = fmt.Errorf("%d of %d checks failed", failed, len(outcomes))
		}
		return j.whole(err)
	}
	return cmd
}

// pointAt shows where an expression goes wrong, within 80 columns: of a longer expression, what stands around that place.
func pointAt(e *gate.SyntaxError) string {
	const wide, ahead, least = 78, 60, 40
	shown, before := report.Clean(e.Text), runewidth.StringWidth(report.Clean(e.Text[:e.At]))
	if runewidth.StringWidth(shown) > wide {
		if before > ahead {
			cut := runewidth.TruncateLeft(shown, before-ahead, "...")
			before -= runewidth.StringWidth(shown) - runewidth.StringWidth(cut)
			shown = cut
		}
		shown = runewidth.Truncate(shown, wide, "...")
	}
	caret := strings.Repeat(" ", before) + "^"
	room, indent := wide-before-2, caret+" "
	if room < least { // hardly any room beside it: below it, then
		room, indent, shown = wide, "", shown+"\n  "+caret
	}
	text := "cannot read the expression\n  " + shown
	for i, line := range report.Wrap(report.Clean(e.Reason), room) {
		if i == 1 {
			indent = strings.Repeat(" ", len(indent))
		}
		text += "\n  " + indent + line
	}
	return text
}

func writeJUnit(path string, outcomes []gate.Outcome) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(gate.WriteJUnit(f, outcomes, report.Outcome, report.Offenders), f.Close())
}
