package pgvector

import "strings"

// A kind is what a token is.
type kind uint8

const (
	end      kind = iota
	word          // a key word or a name, in lower case
	quoted        // a name in double quotes, without them
	text          // a string, without its contents
	number        // a number
	param         // $1
	operator      // a run of operator characters
	sign          // one of ( ) [ ] , ; . : or anything else
)

// A token is one piece of SQL. Comments and white space are none.
type token struct {
	kind kind
	s    string
}

func (t token) is(w string) bool { return t.kind == word && t.s == w }

// A lexer cuts SQL into tokens as PostgreSQL does (its manual, section 4.1, Lexical Structure).
type lexer struct {
	rest string
}

const (
	operatorChars = "+-*/<>=~!@#%^&|`?"
	maxOperator   = 63 // NAMEDATALEN - 1
)

func (l *lexer) next() token {
	l.skip()
	s := l.rest
	if s == "" {
		return token{}
	}
	switch c := s[0]; {
	case c == '\'':
		return l.string(1, false)
	case (c == 'e' || c == 'E') && strings.HasPrefix(s[1:], "'"):
		return l.string(2, true)
	case c == '"':
		return l.quotedName()
	case c == '$':
		return l.dollar()
	case isLetter(c):
		return l.take(word, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '$' })
	case isDigit(c):
		return l.take(number, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' })
	case strings.IndexByte(operatorChars, c) >= 0:
		return l.operator()
	}
	l.rest = s[1:]
	return token{sign, s[:1]}
}

// skip passes white space, comments to the end of the line, and comments in brackets, which nest.
func (l *lexer) skip() {
	for {
		l.rest = strings.TrimLeft(l.rest, " \t\r\n\f\v")
		switch {
		case strings.HasPrefix(l.rest, "--"):
			_, l.rest, _ = strings.Cut(l.rest, "\n")
		case strings.HasPrefix(l.rest, "/*"):
			l.comment()
		default:
			return
		}
	}
}

func (l *lexer) comment() {
	for depth, i := 0, 0; i < len(l.rest); i++ {
		switch {
		case strings.HasPrefix(l.rest[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(l.rest[i:], "*/"):
			depth--
			if i++; depth == 0 {
				l.rest = l.rest[i+1:]
				return
			}
		}
	}
	l.rest = ""
}

func (l *lexer) take(k kind, in func(byte) bool) token {
	n := 1
	for n < len(l.rest) && in(l.rest[n]) {
		n++
	}
	s := l.rest[:n]
	l.rest = l.rest[n:]
	return token{k, strings.ToLower(s)}
}

// string passes a string that begins after the first from bytes. A quote is doubled; in an E string a backslash
// escapes too.
func (l *lexer) string(from int, escapes bool) token {
	for i := from; i < len(l.rest); i++ {
		switch c := l.rest[i]; {
		case c == '\\' && escapes:
			i++
		case c == '\'' && strings.HasPrefix(l.rest[i+1:], "'"):
			i++
		case c == '\'':
			l.rest = l.rest[i+1:]
			return token{kind: text}
		}
	}
	l.rest = ""
	return token{kind: text}
}

func (l *lexer) quotedName() token {
	for i := 1; i < len(l.rest); i++ {
		switch {
		case strings.HasPrefix(l.rest[i:], `""`):
			i++
		case l.rest[i] == '"':
			name := strings.ReplaceAll(l.rest[1:i], `""`, `"`)
			l.rest = l.rest[i+1:]
			return token{quoted, name}
		}
	}
	l.rest = ""
	return token{kind: quoted}
}

// dollar takes $1, or passes a string between $tag$ and $tag$.
func (l *lexer) dollar() token {
	if len(l.rest) > 1 && isDigit(l.rest[1]) {
		return l.take(param, isDigit)
	}
	n := 1
	for n < len(l.rest) && (isLetter(l.rest[n]) || isDigit(l.rest[n])) {
		n++
	}
	if n == len(l.rest) || l.rest[n] != '$' {
		l.rest = l.rest[1:]
		return token{sign, "$"}
	}
	tag := l.rest[:n+1]
	_, l.rest, _ = strings.Cut(l.rest[n+1:], tag)
	return token{kind: text}
}

// operator takes the longest operator. It ends before a comment, and not in + or - unless it has one of ~!@#%^&|`?. A
// distance ends at once: what follows is a sign, or a placeholder that the driver replaces.
func (l *lexer) operator() token {
	s := l.rest
	n, most := 1, min(len(s), maxOperator)
	for n < most && strings.IndexByte(operatorChars, s[n]) >= 0 && !strings.HasPrefix(s[n:], "--") && !strings.HasPrefix(s[n:], "/*") {
		n++
	}
	if !strings.ContainsAny(s[:n], "~!@#%^&|`?") {
		for n > 1 && (s[n-1] == '+' || s[n-1] == '-') {
			n--
		}
	}
	if n > 3 && distances[s[:3]] {
		n = 3
	}
	l.rest = s[n:]
	return token{operator, s[:n]}
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
