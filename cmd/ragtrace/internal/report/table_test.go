package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
)

var plain = Screen{Unicode: true}

func TestTableAlignsNumbersRightAndWideTextByColumns(t *testing.T) {
	shown := table{
		Columns: []column{{Head: "session", Max: 10}, {Head: "no", Right: true}, {Head: "E2E", Right: true}, {Head: "notes"}},
		Rows: [][]cell{
			{{Text: "a"}, {Text: "1"}, {Text: "8120 ms"}, {Text: "cold"}},
			{{Text: "質問室"}, {Text: "12"}, {Text: "843 ms"}, {}},
			{{Text: "a-session-of-a-long-name"}, {Text: "3"}, {Text: "12.4 s"}, {Text: "x"}},
		},
	}
	want := "" +
		"session     no      E2E  notes\n" +
		"a            1  8120 ms  cold\n" +
		"質問室      12   843 ms\n" +
		"a-session…   3   12.4 s  x\n"
	if diff := cmp.Diff(want, shown.draw(plain)); diff != "" {
		t.Error(diff)
	}
}

func TestTableWrapsItsLastColumnWithinTheScreen(t *testing.T) {
	shown := table{
		Columns: []column{{Head: strings.Repeat("h", 58)}, {Head: "notes"}},
		Rows:    [][]cell{{{Text: "a"}, {Text: "model load, embedder load, first search"}}},
	}
	want := strings.Repeat("h", 58) + "  notes\n" +
		"a" + strings.Repeat(" ", 59) + "model load, embedder\n" +
		strings.Repeat(" ", 60) + "load, first search\n"
	if diff := cmp.Diff(want, shown.draw(plain)); diff != "" {
		t.Error(diff)
	}
}

func TestTableLetsNoControlCharacterThrough(t *testing.T) {
	shown := table{
		Columns: []column{{Head: "session"}, {Head: "notes"}},
		Rows:    [][]cell{{{Text: "\x1b[2Ja\nb"}, {Text: "\u202ec\x9b\xff"}}},
	}
	want := "" +
		"session  notes\n" +
		"?[2Ja b  ?c??\n"
	if diff := cmp.Diff(want, shown.draw(plain)); diff != "" {
		t.Error(diff)
	}
}

func TestColourChangesNoColumn(t *testing.T) {
	shown := table{
		Columns: []column{{Head: "a", Right: true}, {Head: "b"}},
		Rows:    [][]cell{{{"12 ms", Red}, {"x", Bold}}},
	}
	want := "" +
		"    \x1b[1ma\x1b[0m  \x1b[1mb\x1b[0m\n" +
		"\x1b[31m12 ms\x1b[0m  \x1b[1mx\x1b[0m\n"
	if diff := cmp.Diff(want, shown.draw(Screen{Colour: true})); diff != "" {
		t.Error(diff)
	}
}

func TestNoColourInAFile(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	if NewScreen(new(strings.Builder)).Colour {
		t.Error("a screen that is no terminal has colours")
	}
}

func TestScreenFollowsColumnsAndLocale(t *testing.T) {
	t.Setenv("COLUMNS", "132")
	t.Setenv("LC_ALL", "C")
	s := NewScreen(new(strings.Builder))
	if s.Width != 132 || s.Unicode {
		t.Errorf("COLUMNS=132 LC_ALL=C: width %d, unicode %t", s.Width, s.Unicode)
	}
	t.Setenv("COLUMNS", "40")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	if s := NewScreen(new(strings.Builder)); s.Width != 80 || !s.Unicode {
		t.Errorf("COLUMNS=40 LC_ALL=de_DE.UTF-8: width %d, unicode %t", s.Width, s.Unicode)
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{" a  b ", 5, []string{"a b"}},
		{"took 1500 ms, 12 % more", 10, []string{"took", "1500 ms,", "12 % more"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"abcdefgh ij", 3, []string{"abc", "def", "gh", "ij"}},
		{"質問質問 x", 5, []string{"質問", "質問", "x"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Wrap(tt.text, tt.width)); diff != "" {
			t.Errorf("Wrap(%q, %d): %s", tt.text, tt.width, diff)
		}
	}
}

func TestFitNeverExceedsItsWidth(t *testing.T) {
	for _, s := range []Screen{{}, {Unicode: true}} {
		for width := 3; width < 12; width++ {
			if got := s.Fit("質問 a question", width); runewidth.StringWidth(got) > width {
				t.Errorf("Fit(%d) = %q", width, got)
			}
		}
	}
}
