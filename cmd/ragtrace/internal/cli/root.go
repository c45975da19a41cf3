package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the command could not do its work
	exitUsage  = 2 // it was not asked for anything that it can do
)

// Main runs the command line args, without the program's name, and returns its exit code. The first interrupt cancels
// the command's context, so that it can finish; one that comes a second later ends the process.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// A second must pass, as timeout(1) and other parents pass on a signal that the process group got already.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })

	started := false
	root := newRoot()
	for _, c := range root.Commands() {
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			started = true
			return run(cmd, args)
		}
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	// What fails before a command starts is its arguments or flags.
	if _, usage := errors.AsType[usageError](err); usage || !started {
		fmt.Fprintln(stderr, withHelp(fmt.Sprintf("%s: %v", cmd.CommandPath(), err), "(see "+cmd.CommandPath()+" --help)"))
		return exitUsage
	}
	fmt.Fprintf(stderr, "%s: %v\n", cmd.CommandPath(), err)
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "ragtrace",
		Short:         "Which question to a RAG pipeline took far longer than the others, and what it waited for",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	plainHelp(root)
	root.AddCommand(
		newServe(),
		newSlow(),
		newShow(),
		newStats(),
		newCompare(),
		newCheck(),
		newExplain(),
		newImport(),
		newExport(),
		newDemo(),
		newPrune(),
		newTimings(),
		newAsk(),
	)
	return root
}

// A usageError is a command's refusal of what it was asked for: exit code 2.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...)}
}

// withHelp says where there is more to read: behind the message, or below one of several lines whose last has no room.
func withHelp(message, help string) string {
	if at := strings.LastIndexByte(message, '\n'); at >= 0 && runewidth.StringWidth(message[at+1:]+" "+help) > 80 {
		return message + "\n  " + help
	}
	return message + " " + help
}
