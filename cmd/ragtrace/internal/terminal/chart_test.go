package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

const ms = time.Millisecond

// The widest head below is 30 columns, which leaves 40 of 80 for the bars: over 4000 ms, one column is 100 ms.
var rows = []row{
	{label: "question", end: 4000 * ms},
	{depth: 1, label: "embed embeddings nomic-embed", start: 100 * ms, end: 900 * ms, kind: diagnose.RowOutside},
	{depth: 2, label: "embed.load", note: "cold", start: 100 * ms, end: 800 * ms, kind: diagnose.RowOutside},
	{depth: 1, label: "gap", start: 900 * ms, end: 1400 * ms, kind: diagnose.RowGap},
	{depth: 1, label: "llm chat m", start: 1400 * ms, end: 4000 * ms, first: 3000 * ms},
	{depth: 2, label: "llm.load", start: 1400 * ms, end: 2900 * ms, kind: diagnose.RowInside},
	{depth: 2, label: "llm.prefill", start: 2900 * ms, end: 2900*ms + 420*time.Microsecond, kind: diagnose.RowInside},
	{depth: 2, label: "llm.decode", start: 3000 * ms, end: 4000 * ms, kind: diagnose.RowInside},
}

func TestChartAt80Columns(t *testing.T) {
	want := `
                               0         1000 ms   2000 ms   3000 ms
                               ┬─────────┬─────────┬─────────▼ TTFT───┬
question                       ────────────────────────────────────────  4000 ms
  embed embeddings nomic-embed  ▒▒▒▒▒▒▒▒                                  800 ms
    embed.load  cold            ▒▒▒▒▒▒▒                                   700 ms
  gap                                   ·····                             500 ms
  llm chat m                                 ────────────────▼─────────  2600 ms
    llm.load                                 ███████████████             1500 ms
    llm.prefill                                             █            0.42 ms
    llm.decode                                               ██████████  1000 ms
`
	got := "\n" + chart(report.Screen{Width: 80, Unicode: true}, rows, 4000*ms, mark{3000 * ms, "TTFT", "first token"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestChartInASCIICutsLongHeads(t *testing.T) {
	rows := []row{
		{label: "question", end: 12 * time.Second},
		{depth: 1, label: "llm chat a-model-with-a-very-long-name:70b-instruct", note: "error", start: 0, end: 12 * time.Second, kind: diagnose.RowInside},
	}
	// Heads are cut at 32 columns, which leaves 38 for 12 s: a tick at least every 10 columns is one every 5 s.
	want := `
                                 0               5 s             10 s
                                 +---------------+---------------+-----
question                         --------------------------------------   12.0 s
  llm chat a-model-wit...  error ######################################   12.0 s
`
	got := "\n" + chart(report.Screen{Width: 80}, rows, 12*time.Second, mark{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestInsideIsToldFromOutsideWithoutColour(t *testing.T) {
	for _, s := range []report.Screen{{}, {Unicode: true}} {
		seen := map[string]diagnose.RowKind{}
		for k := range brushes {
			if other, ok := seen[stroke(k, s)]; ok {
				t.Errorf("kinds %d and %d are both drawn with %q", k, other, stroke(k, s))
			}
			seen[stroke(k, s)] = k
		}
	}
}

// Whatever the times, no line is wider than the screen, and every row has a bar.
func TestChartStaysOnTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := report.Screen{Width: rapid.IntRange(80, 240).Draw(t, "width"), Unicode: rapid.Bool().Draw(t, "unicode")}
		total := time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "total"))
		within := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(total)).Draw(t, "at"))
		})
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
			a, b := within.Draw(t, "start"), within.Draw(t, "end")
			return row{
				depth: rapid.IntRange(0, 5).Draw(t, "depth"), label: rapid.String().Draw(t, "label"),
				start: min(a, b), end: max(a, b), kind: diagnose.RowKind(rapid.IntRange(0, 3).Draw(t, "kind")), first: within.Draw(t, "first"),
			}
		}), 0, 20).Draw(t, "rows")
		for i := range rows {
			rows[i].label = report.Clean(rows[i].label)
		}
		text := chart(s, rows, total, mark{within.Draw(t, "ttft"), "1st byte", "first byte"})
		for line := range strings.Lines(text) {
			if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); w > s.Width {
				t.Fatalf("%d columns on a screen of %d: %q", w, s.Width, line)
			}
		}
		for _, r := range rows {
			if bar := strings.TrimSpace(r.bar(s, axis{total: total, width: 40})); bar == "" {
				t.Fatalf("no bar for %v to %v of %v", r.start, r.end, total)
			}
		}
	})
}
