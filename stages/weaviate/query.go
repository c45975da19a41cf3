package weaviate

import (
	"strconv"
	"strings"
)

// A Query is what a GraphQL text asks Weaviate for.
type Query struct {
	Function string // Get, Aggregate, Explore; "" when the text is not of that shape
	Class    string // below the function; its real name, if it has an alias
	Vector   bool   // vectors are compared: near..., hybrid or ask is among the arguments
	Limit    int64  // of the hits; 0 when it is a variable or not in what was seen
}

// ParseQuery reads a GraphQL text, or, of one too long to be kept, as with a vector that is written out, its beginning and
// its end; the end of a whole text is "". Of several classes the first one counts.
func ParseQuery(text, end string) Query {
	q := parseBeginning(text)
	if end != "" && q.Function != "" {
		q.readEnd(end)
	}
	return q
}

func parseBeginning(text string) (q Query) {
	l := lexer{rest: text}
	t := l.next()
	for parens := 0; t != "{" || parens > 0; t = l.next() { // past the operation's name and variables
		switch t {
		case "":
			return q
		case "(":
			parens++
		case ")":
			parens--
		}
	}
	q.Function, t = l.field()
	if t == "{" {
		q.Class, t = l.field()
	}
	if t == "(" {
		l.arguments(&q)
	}
	return q
}

// field takes the name of a field, without its alias, and the token after it. A name at the end may be cut: "".
func (l *lexer) field() (name, after string) {
	name, after = l.next(), l.next()
	if after == ":" {
		name, after = l.next(), l.next()
	}
	if after == "" || !isName(name[0]) {
		name = ""
	}
	return name, after
}

// arguments takes a field's arguments up to the closing parenthesis.
func (l *lexer) arguments(q *Query) {
	before := ""
	for depth := 1; depth > 0; {
		t := l.next()
		switch t {
		case "":
			return
		case "(", "{", "[":
			depth++
		case ")", "}", "]":
			depth--
		case ":":
			if depth != 1 {
				break
			}
			if before == "limit" {
				q.Limit, _ = strconv.ParseInt(l.next(), 10, 64)
			}
			q.Vector = q.Vector || comparesVectors(before)
		}
		before = t
	}
}

// comparesVectors reports whether an argument of that name does.
func comparesVectors(argument string) bool {
	return strings.HasPrefix(argument, "near") || argument == "hybrid" || argument == "ask"
}
