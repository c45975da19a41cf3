package web

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many characters of a foreign name a view shows.
const longest = 120

// shown makes foreign text fit to be looked at: what cannot be seen, or would turn the text around it, is written out, and
// what is very long is cut.
func shown(text string) string { return shownUpTo(text, longest) }

func shownUpTo(text string, most int) string {
	var b strings.Builder
	n := 0
	for i, r := range text {
		piece := string(r)
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			piece = fmt.Sprintf(`\x%02x`, text[i])
		case r == '\n', r == '\t', r == ' ':
		case !unicode.IsPrint(r):
			piece = fmt.Sprintf(`\u%04x`, r)
		}
		if n += utf8.RuneCountInString(piece); n > most {
			return b.String() + "…"
		}
		b.WriteString(piece)
	}
	return b.String()
}

// percent is v of all as an SVG length, to a hundredth.
func percent(v, all float64) string {
	if all <= 0 {
		return "0%"
	}
	text := strconv.FormatFloat(v/all*100, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".") + "%"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
