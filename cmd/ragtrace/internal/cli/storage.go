package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// writeStorage tells what the store at path holds and what that takes.
func writeStorage(ctx context.Context, w io.Writer, path string, asJSON bool) error {
	st, err := openStore(path)
	if err != nil {
		return err
	}
	defer st.Close()
	s, err := st.Storage(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(w, map[string]any{
			"path": st.Path(), "traces": s.Traces, "questions": s.Questions, "spans": s.Spans, "traces_behind": s.Behind,
			"oldest": moments(s.Oldest), "newest": moments(s.Newest), "file_bytes": s.File, "log_bytes": s.Log, "free_bytes": s.Free,
		})
	}
	var b strings.Builder
	row := func(name, value string) { fmt.Fprintf(&b, "%-10s %s\n", name, value) }
	row("database", st.Path())
	row("traces", fmt.Sprint(s.Traces))
	questions := fmt.Sprint(s.Questions)
	if s.Behind > 0 {
		questions += fmt.Sprintf(", and those of %d traces that have just changed", s.Behind)
	}
	row("questions", questions)
	spans := fmt.Sprint(s.Spans)
	if s.Spans > 0 {
		spans += fmt.Sprintf(", %.0f bytes each on disk", float64(s.File+s.Log-s.Free)/float64(s.Spans))
	}
	row("spans", spans)
	if s.Traces > 0 {
		row("came", fmt.Sprintf("%s to %s", s.Oldest.Format(time.DateTime), s.Newest.Format(time.DateTime)))
	}
	row("file", fmt.Sprintf("%s, of which %s are free for what comes next", size(s.File), size(s.Free)))
	row("log", size(s.Log))
	_, err = io.WriteString(w, b.String())
	return err
}

// moments is a time for JSON: null when there is none.
func moments(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC()
}

// size writes a number of bytes with three significant digits.
func size(n int64) string {
	v, unit := float64(n), 0
	units := []string{"B", "kB", "MB", "GB", "TB"}
	for v >= 999.5 && unit < len(units)-1 {
		v /= 1000
		unit++
	}
	switch {
	case unit == 0 || v >= 99.95:
		return fmt.Sprintf("%.0f %s", v, units[unit])
	case v >= 9.995:
		return fmt.Sprintf("%.1f %s", v, units[unit])
	default:
		return fmt.Sprintf("%.2f %s", v, units[unit])
	}
}
