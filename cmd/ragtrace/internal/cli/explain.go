package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/near"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:       "explain [CAUSE]",
		Short:     "Say what a cause means, how to verify it and what to do",
		Long:      "Say what a cause means, how to verify it and what to do. Without CAUSE, list all causes.",
		Example:   "  ragtrace explain\n  ragtrace explain keep_alive_expired",
		Args:      takes(0, 1),
		ValidArgs: diagnose.Causes(),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := report.NewScreen(cmd.OutOrStdout())
			if len(args) == 0 {
				return report.Causes(s)
			}
			cause := strings.ToLower(strings.ReplaceAll(args[0], "-", "_"))
			if _, ok := diagnose.Explain(cause); !ok {
				if close := near.Names(cause, diagnose.Causes()); len(close) > 0 {
					return usagef("there is no cause %s: did you mean %s?", report.Clean(args[0]), strings.Join(close, " or "))
				}
				return usagef("there is no cause %s: ragtrace explain lists them", report.Clean(args[0]))
			}
			return report.Explanation(s, cause)
		},
	}
}
