package diagnose

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// timeText writes a duration with three significant digits: in ms below 10 s, in s from there on.
func timeText(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if math.Abs(round3(ms)) >= 10_000 {
		return digits3(ms/1000) + " s"
	}
	return digits3(ms) + " ms"
}

func digits3(v float64) string {
	v = round3(v)
	places := 2
	for limit := 10.0; places > 0 && math.Abs(v) >= limit; limit *= 10 {
		places--
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

// round3 rounds to three significant digits, and no finer than a hundredth.
func round3(v float64) float64 {
	unit := 0.01
	for math.Abs(v) >= 999.5*unit {
		unit *= 10
	}
	return math.Round(v/unit) * unit
}

// timesText writes a multiple: "3.2 times".
func timesText(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) + " times" }

// safe makes a foreign name fit for a terminal: control characters are escaped, and what is very long is cut.
func safe(name string) string {
	const longest = 60
	if r := []rune(name); len(r) > longest {
		name = string(r[:longest]) + "…"
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// questionText names a question: "question 3 of session a".
func (j *judge) questionText(q *Question) string {
	if q.Session == "" {
		return fmt.Sprintf("question %d", j.numbers[q])
	}
	return fmt.Sprintf("question %d of session %s", j.numbers[q], safe(q.Session))
}

// list joins words: "a", "a and b", "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// sentenceCase starts a sentence.
func sentenceCase(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
