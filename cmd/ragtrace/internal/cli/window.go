package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A window is the stretch of time that questions are read from: those that started in [since, until). Zero is no limit.
type window struct{ since, until time.Time }

var errWindowEmpty = errors.New("no question started in the time that --since and --until leave")

// of tells which questions of a table lie in the window; with a limit, those whose times are unknown do not. It is nil for all.
func (w window) of(t *diagnose.Table) func(row int) bool {
	if w == (window{}) {
		return nil
	}
	return func(row int) bool {
		start := time.Unix(0, t.Start(row))
		return t.Start(row) != 0 && !start.Before(w.since) && (w.until.IsZero() || start.Before(w.until))
	}
}

// windowFlags are --since and --until.
type windowFlags struct{ since, until *string }

func newWindowFlags(cmd *cobra.Command) windowFlags {
	return windowFlags{
		since: cmd.Flags().String("since", "", "only questions from `TIME` on: RFC 3339, or how long ago (90m, 12h, 7d)"),
		until: cmd.Flags().String("until", "", "only questions before `TIME`"),
	}
}

// window reads both.
func (m windowFlags) window(now time.Time) (w window, err error) {
	if w.since, err = moment("since", *m.since, now); err != nil {
		return w, err
	}
	if w.until, err = moment("until", *m.until, now); err != nil {
		return w, err
	}
	if !w.until.IsZero() && !w.since.Before(w.until) {
		return w, usagef("--since %s is not before --until %s", *m.since, *m.until)
	}
	return w, nil
}

// moment reads a time of --since or --until: RFC 3339, or how long before now.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	if d, ok := ago(text); ok {
		return now.Add(-d), nil
	}
	return time.Time{}, usagef("--%s %s is neither a time like 2026-11-30T09:00:00Z nor how long ago, like 90m, 12h or 7d", flag, text)
}

// ago reads a duration, of days too.
func ago(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return 0, false
		}
		return time.Duration(n) * 24 * time.Hour, true
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}
