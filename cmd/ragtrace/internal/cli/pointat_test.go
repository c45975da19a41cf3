package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/gate"
)

func TestACaretStandsWithin80Columns(t *testing.T) {
	for text, under := range map[string]string{
		"p95(nonsense) < 3s": "n",
		"p95(e2e, session=a, session=" + strings.Repeat("b", 70) + ") < 3s":                  "s",
		"p95(e2e, session=" + strings.Repeat("b", 90) + ", shop=a) < 3s":                     "s",
		"p95(e2e, session=" + strings.Repeat("日", 50) + ", shop=" + strings.Repeat("a", 100): "s",
		"p95(e2e, number=1, model=llama3.2:3b-instruct, service=app, warm) !<< 3":            "!",
	} {
		_, err := gate.Parse(text)
		bad, ok := errors.AsType[*gate.SyntaxError](err)
		if !ok {
			t.Fatalf("%s: %v", text, err)
		}
		lines := strings.Split(pointAt(bad), "\n")
		for _, line := range lines {
			if w := runewidth.StringWidth(line); w > 80 {
				t.Errorf("%d columns: %q", w, line)
			}
		}
		before, _, _ := strings.Cut(lines[2], "^")
		rest := runewidth.TruncateLeft(lines[1], len(before), "")
		if !strings.HasPrefix(rest, under) {
			t.Errorf("the caret is not below %q:\n%s", under, strings.Join(lines, "\n"))
		}
		if got := strings.Join(strings.Fields(strings.Join(lines[2:], " ")), " "); got != "^ "+strings.Join(strings.Fields(bad.Reason), " ") {
			t.Errorf("the reason is %q, want %q", got, bad.Reason)
		}
	}
}
