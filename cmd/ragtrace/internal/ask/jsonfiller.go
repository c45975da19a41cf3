package ask

import (
	"bytes"
	"slices"
)

// A jsonFiller fills JSON in place, documents one after another, which may be cut off anywhere: what is not JSON becomes
// filler too. It may be given the pieces of a document in turn, as long as no string or number is cut.
type jsonFiller struct {
	around []container
	key    string // that the next value belongs to
	isKey  bool   // the next string is a key
}

// A container is an object or array around the present place.
type container struct {
	array bool
	key   string // that it belongs to
}

func (j *jsonFiller) fill(p []byte) {
	for len(p) > 0 {
		switch c := p[0]; {
		case c == '"':
			p = j.string(p)
		case c == '{' || c == '[':
			j.around = append(j.around, container{c == '[', j.key})
			j.isKey = c == '{'
			p = p[1:]
		case c == '}' || c == ']':
			if n := len(j.around); n > 0 {
				j.around = j.around[:n-1]
			}
			j.key, j.isKey = "", false
			if n := len(j.around); n > 0 && j.around[n-1].array {
				j.key = j.around[n-1].key
			}
			p = p[1:]
		case c == ',':
			if n := len(j.around); n > 0 {
				j.isKey = !j.around[n-1].array
			}
			p = p[1:]
		case c == ':':
			j.isKey = false
			p = p[1:]
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			p = p[1:]
		default:
			p = j.literal(p)
		}
	}
}

// string fills the string that p begins with, and returns what is behind it. Keys are names, and stay when they look so.
func (j *jsonFiller) string(p []byte) []byte {
	end := 1
	for end < len(p) && p[end] != '"' {
		if p[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(p))
	text := p[1:end]
	switch {
	case j.isKey && word(text):
		j.key = string(text)
	case j.isKey:
		j.key = ""
		fillString(text)
	case !slices.Contains(textKeys, j.key) || !word(text):
		fillString(text)
	}
	return p[min(end+1, len(p)):]
}

func fillString(p []byte) {
	for i := range p {
		p[i] = filler
	}
}

// literal fills the number or word that p begins with, and returns what is behind it.
func (j *jsonFiller) literal(p []byte) []byte {
	end := bytes.IndexAny(p, "\"{}[],: \t\r\n")
	if end < 0 {
		end = len(p)
	}
	text := p[:end]
	switch {
	case isNumber(text):
		if n := len(j.around); n == 0 || j.around[n-1].array || !slices.Contains(numberKeys, j.key) {
			fillDigits(text)
		}
	case end == len(p) && (bytes.HasPrefix([]byte("true"), text) || bytes.HasPrefix([]byte("false"), text) || bytes.HasPrefix([]byte("null"), text)):
	case string(text) != "true" && string(text) != "false" && string(text) != "null":
		fillString(text)
	}
	return p[end:]
}

func isNumber(p []byte) bool {
	return len(p) > 0 && (p[0] == '-' || p[0] >= '0' && p[0] <= '9') &&
		!bytes.ContainsFunc(p, func(r rune) bool { return (r < '0' || r > '9') && !bytes.ContainsRune([]byte("+-.eE"), r) })
}

// fillDigits leaves the shape of a number.
func fillDigits(p []byte) {
	for i, c := range p {
		if c >= '0' && c <= '9' {
			p[i] = fillerDigit
		}
	}
}
