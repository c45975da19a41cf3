package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// exclusive refuses to run cmd when more than one of the flags is given.
func exclusive(cmd *cobra.Command, flags ...string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		var given []string
		for _, flag := range flags {
			if cmd.Flags().Changed(flag) {
				given = append(given, "--"+flag)
			}
		}
		if len(given) > 1 {
			return usagef("%s exclude each other: give one of them", strings.Join(given, " and "))
		}
		return nil
	}
}
