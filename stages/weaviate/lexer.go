package weaviate

import "strings"

// A lexer cuts GraphQL text into tokens: names, numbers, variables, strings without their text, and single signs.
type lexer struct {
	rest string
	open bool // a string had no end
}

// next is the next token, "" at the end.
func (l *lexer) next() string {
	l.skip()
	s := l.rest
	if s == "" {
		return ""
	}
	n := 1
	switch c := s[0]; {
	case c == '"':
		l.string()
		return `"`
	case c == '$' || c == '-' || isName(c) || isDigit(c):
		number := c == '-' || isDigit(c)
		for n < len(s) && (isName(s[n]) || isDigit(s[n]) || number && s[n] == '.') {
			n++
		}
	}
	l.rest = s[n:]
	return s[:n]
}

// skip passes white space, commas and comments, which mean nothing in GraphQL.
func (l *lexer) skip() {
	for {
		l.rest = strings.TrimLeft(l.rest, " \t\r\n,\ufeff")
		if !strings.HasPrefix(l.rest, "#") {
			return
		}
		_, l.rest, _ = strings.Cut(l.rest, "\n")
	}
}

// string passes a string or a block string.
func (l *lexer) string() {
	if s, block := strings.CutPrefix(l.rest, `"""`); block {
		s = strings.ReplaceAll(s, `\"""`, "")
		var closed bool
		_, l.rest, closed = strings.Cut(s, `"""`)
		l.open = l.open || !closed
		return
	}
	s := l.rest[1:]
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"', '\n':
			l.open = l.open || s[i] == '\n'
			l.rest = s[i+1:]
			return
		}
	}
	l.rest, l.open = "", true
}

func isName(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
