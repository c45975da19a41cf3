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
	ms := round3(float64(d) / float64(time.Millisecond))
	if math.Abs(ms) >= 10_000 {
		return digits3(ms/1000) + " s"
	}
	return digits3(ms) + " ms"
}

// digits3 writes a number of three significant digits, with no more than two places after the point.
func digits3(v float64) string {
	if math.Abs(v) < 0.005 {
		return "0"
	}
	places := 2
	for limit := 9.995; places > 0 && math.Abs(v) >= limit; limit *= 10 {
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
func (j *Judgement) questionText(row int) string {
	session, number := j.t.Session(row), j.t.Number(row)
	if session == "" {
		return fmt.Sprintf("question %d", number)
	}
	return fmt.Sprintf("question %d of session %s", number, safe(session))
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
