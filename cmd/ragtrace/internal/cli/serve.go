package cli

import "github.com/spf13/cobra"

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Receive traces over OTLP and store them",
		Args:  cobra.NoArgs,
	}
	dbFlag(cmd)
	return cmd
}
