package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"
)

// Help fits a terminal of 80 columns, and every command shows how it is used.
func TestHelp(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/home/somebody/.local/share")
	var all func(cmd *cobra.Command)
	all = func(cmd *cobra.Command) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); w > 80 {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), w, line)
			}
		}
		if cmd.HasParent() && !strings.HasPrefix(cmd.Example, "  ") {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for _, c := range cmd.Commands() {
			all(c)
		}
	}
	all(newRoot())
}
