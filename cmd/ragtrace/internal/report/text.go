package report

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Clean makes foreign text safe for a terminal: on one line, valid UTF-8, and without the control characters that would
// move the cursor or change colours.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return '?'
		}
		return r
	}, text)
}

// Fit cuts text to width columns; what was cut ends in an ellipsis.
func (s Screen) Fit(text string, width int) string {
	if runewidth.StringWidth(text) <= width {
		return text
	}
	if s.Unicode {
		return runewidth.Truncate(text, width, "…")
	}
	return runewidth.Truncate(text, width, "...")
}

// pad fills text with spaces to width columns, on the left or on the right.
func pad(text string, width int, left bool) string {
	fill := strings.Repeat(" ", max(0, width-runewidth.StringWidth(text)))
	if left {
		return fill + text
	}
	return text + fill
}

// measure is a number and its unit, which stay together on a line.
var measure = regexp.MustCompile(`(\d) (ms|s|%)`)

// Wrap breaks text into lines of at most width columns, at spaces where there are any.
func Wrap(text string, width int) []string {
	const noBreak = "\u00a0"
	var lines []string
	line := ""
	for word := range strings.SplitSeq(measure.ReplaceAllString(text, "$1"+noBreak+"$2"), " ") {
		word = strings.ReplaceAll(word, noBreak, " ")
		for runewidth.StringWidth(word) > width {
			head := runewidth.Truncate(word, width, "")
			if head == "" {
				break
			}
			if line != "" {
				lines, line = append(lines, line), ""
			}
			lines, word = append(lines, head), word[len(head):]
		}
		switch {
		case word == "":
		case line == "":
			line = word
		case runewidth.StringWidth(line)+1+runewidth.StringWidth(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}
