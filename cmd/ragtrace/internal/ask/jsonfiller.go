package ask

import (
	"bytes"
	"slices"
	"strings"
)

// A jsonFiller fills JSON in place, documents one after another, which may be cut off anywhere: what is not JSON becomes
// filler too. It may be given the pieces of a document in turn, as long as no string or number is cut.
type jsonFiller struct {
	known  bool // an API's: its keys are known
	around []container
	key    string // that the next value belongs to
	isKey  bool   // the next string is a key
}

// A container is an object or array around the present place.
type container struct {
	array bool
	path  string // of keys, with dots between
	open  bool   // nothing is known of what is in it
}

// place is the path of the present value, and whether nothing is known of it.
func (j *jsonFiller) place() (path string, open bool) {
	n := len(j.around)
	if n == 0 {
		return "", !j.known
	}
	c := j.around[n-1]
	if c.array {
		return c.path, c.open
	}
	path = j.key
	if c.path != "" {
		path = c.path + "." + j.key
	}
	return path, c.open || j.key == ""
}

// enter goes into an object or array. A path that grows long is none of a known value's.
func (j *jsonFiller) enter(array bool) {
	path, open := j.place()
	const longest = 128
	open = open || slices.Contains(openKeys, path[strings.LastIndexByte(path, '.')+1:]) || len(path) > longest
	j.around = append(j.around, container{array, path, open})
	j.key, j.isKey = "", !array
}

func (j *jsonFiller) fill(p []byte) {
	for len(p) > 0 {
		switch c := p[0]; {
		case c == '"':
			p = j.string(p)
		case c == '{' || c == '[':
			j.enter(c == '[')
			p = p[1:]
		case c == '}' || c == ']':
			if n := len(j.around); n > 0 {
				j.around = j.around[:n-1]
			}
			j.key, j.isKey = "", false
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

// string fills the string that p begins with, and returns what is behind it. Keys stay when an API has them.
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
	path, open := j.place()
	switch {
	case j.isKey:
		j.key = ""
		if n := len(j.around); !j.around[n-1].open && knownKey(string(text)) {
			j.key = string(text)
		} else {
			fillString(text)
		}
	case open || !keptAt(path, string(text)):
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
		_, open := j.place()
		if n := len(j.around); n == 0 || open || j.around[n-1].array || !slices.Contains(numberKeys, j.key) {
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
