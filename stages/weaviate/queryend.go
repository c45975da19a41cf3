package weaviate

import (
	"strconv"
	"strings"
)

// readEnd reads the end of a text whose middle is missing: the arguments behind a long one. How deep the end begins is
// known from how it ends: outside everything.
func (q *Query) readEnd(end string) {
	arguments := 2 // the depth inside the parentheses of { Explore(
	if q.Class != "" {
		arguments = 3 // { Get { Class(
	}
	l, ok := endLexer(end)
	if !ok {
		return
	}
	depth := startDepth(l)
	limit, vector, before := int64(0), false, ""
	for t := l.next(); t != ""; t = l.next() {
		switch t {
		case "(", "{", "[":
			if depth++; depth == arguments {
				limit, vector = 0, false
			}
		case ")", "}", "]":
			if depth == arguments && t == ")" {
				q.also(limit, vector)
				return // what follows are fields, or another class
			}
			depth--
		case ":":
			if depth != arguments {
				break
			}
			if before == "limit" {
				t = l.next()
				limit, _ = strconv.ParseInt(t, 10, 64)
			}
			vector = vector || comparesVectors(before)
		}
		before = t
	}
}

// also adds what the end says to what the beginning says.
func (q *Query) also(limit int64, vector bool) {
	if q.Limit == 0 {
		q.Limit = limit
	}
	q.Vector = q.Vector || vector
}

// endLexer is a lexer for the end of a text, which may begin inside a string.
func endLexer(end string) (lexer, bool) {
	if l := (lexer{rest: end}); l.wholeStrings() {
		return l, true
	}
	_, end, _ = strings.Cut(end, `"`)
	l := lexer{rest: end}
	return l, l.wholeStrings()
}

// wholeStrings reports whether every string that the rest of the text opens is closed.
func (l lexer) wholeStrings() bool {
	for l.next() != "" {
	}
	return !l.open
}

// startDepth is how many brackets are open where the lexer is, when none is at the end.
func startDepth(l lexer) (depth int) {
	for {
		switch l.next() {
		case "":
			return depth
		case "(", "{", "[":
			depth--
		case ")", "}", "]":
			depth++
		}
	}
}
