package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"github.com/spf13/cobra"
)

func newPrune() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Let go of old traces, and give their space back to the disk",
		Long: `Let go of traces, those first of which nothing has come for longest, until the database holds no more than the flags
say, and give all free space back to the disk. A trace is kept or goes as a whole. Without a limit nothing goes, and free
space is given back. ragtrace serve has the same flags and prunes as it goes.`,
		Example: `  ragtrace prune --keep-for 30d --dry-run
  ragtrace prune --keep-size 500MB`,
		Args: takes(0, 0),
	}
	db := dbFlag(cmd)
	flags := newLimitFlags(cmd)
	dry := cmd.Flags().Bool("dry-run", false, "tell what would go, and let nothing go")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		limits, err := flags.limits()
		if err != nil {
			return err
		}
		if *dry {
			return wouldPrune(cmd.Context(), cmd.OutOrStdout(), *db, limits)
		}
		return pruneNow(cmd.Context(), cmd.OutOrStdout(), *db, limits)
	}
	return cmd
}

func wouldPrune(ctx context.Context, w io.Writer, db string, limits store.Limits) error {
	st, err := openStore(db)
	if err != nil {
		return err
	}
	defer st.Close()
	surplus, err := st.Surplus(ctx, limits)
	if err != nil {
		return err
	}
	about := ""
	if limits.Size > 0 {
		about = "about "
	}
	_, err = fmt.Fprintf(w, "%s%d traces of %d spans would go.\n", about, surplus.Traces, surplus.Spans)
	return err
}

func pruneNow(ctx context.Context, w io.Writer, db string, limits store.Limits) (err error) {
	// Opening for writing would make a file where there is none, and brings an old one up to date.
	if _, err := os.Stat(db); err != nil {
		return noStore(db, err)
	}
	st, err := store.Open(db)
	if err != nil {
		return err
	}
	before, log, err := st.Size()
	if err != nil {
		return errors.Join(err, st.Close())
	}
	pruned, err := st.Prune(ctx, limits, true)
	// What was given back shows once the log is in the file, which closing does unless somebody else has it open.
	if err := errors.Join(err, st.Close()); err != nil {
		return err
	}
	after, _, err := st.Size()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d traces of %d spans went. The file has %s; with its log it had %s.\n", pruned.Traces, pruned.Spans,
		size(after), size(before+log))
	return err
}
