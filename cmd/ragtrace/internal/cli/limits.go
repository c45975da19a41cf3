package cli

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"github.com/spf13/cobra"
)

// limitFlags are the flags that say what a store may hold.
type limitFlags struct {
	age, size *string
	traces    *int64
}

func newLimitFlags(cmd *cobra.Command) limitFlags {
	return limitFlags{
		age:    cmd.Flags().String("keep-for", "", "let go of traces of which nothing has come for `TIME`, such as 12h or 30d"),
		size:   cmd.Flags().String("keep-size", "", "let go of the oldest traces before the file has more than `SIZE`, such as 500MB or 2GiB"),
		traces: cmd.Flags().Int64("keep-traces", 0, "keep the newest `N` traces"),
	}
}

// limits reads the flags. Without any it is the zero value.
func (f limitFlags) limits() (l store.Limits, err error) {
	if *f.age != "" {
		d, ok := ago(*f.age)
		if !ok || d <= 0 {
			return l, usagef("--keep-for %s is no time like 90m, 12h or 30d", *f.age)
		}
		l.Age = d
	}
	if *f.size != "" {
		n, ok := bytesOf(*f.size)
		if !ok {
			return l, usagef("--keep-size %s is no size like 500MB or 2GiB, of a megabyte or more", *f.size)
		}
		l.Size = n
	}
	if l.Traces = *f.traces; l.Traces < 0 {
		return l, usagef("--keep-traces %d is less than nothing", l.Traces)
	}
	return l, nil
}

// bytesOf reads a size of a megabyte or more.
func bytesOf(text string) (int64, bool) {
	digits := strings.TrimRight(text, "BKMGTikmgtb ")
	unit, ok := map[string]float64{
		"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
		"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	}[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	n, err := strconv.ParseFloat(digits, 64)
	n *= unit
	return int64(n), ok && err == nil && n >= 1e6 && n < 1<<62
}

// pruneEvery is how often a store that is served lets go of what is too much: ten seconds of a fast sender are a few megabytes.
const pruneEvery = 10 * time.Second

// prune holds a store to its limits until ctx is done.
func prune(ctx context.Context, st *store.Store, limits store.Limits, log *slog.Logger) {
	if limits == (store.Limits{}) {
		return
	}
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for {
		pruned, err := st.Prune(ctx, limits, false)
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrClosed) {
			log.Error("not pruned", "err", err)
		}
		if pruned.Traces > 0 {
			log.Info("pruned", "traces", pruned.Traces, "spans", pruned.Spans)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
