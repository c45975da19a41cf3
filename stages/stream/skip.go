package stream

import "bytes"

// skipping passes over a container by its brackets and quotes alone.
type skipping struct {
	array    bool
	depth    int
	count    int64 // elements of the container itself
	filled   bool  // something stands in it
	inString bool
	escaped  bool
}

func (k *skipping) begin(array bool) { *k = skipping{array: array, depth: 1} }

// structural marks the bytes at which skipping has something to do.
var structural = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, ',': true}

// write returns how many bytes belong to the container and whether it ended with the last of them.
func (k *skipping) write(p []byte) (n int, ended bool) {
	for i := 0; i < len(p); {
		if k.inString {
			i += k.string(p[i:])
			continue
		}
		c := p[i]
		i++
		if !structural[c] {
			if !k.filled && !isSpace(c) {
				k.filled = true
			}
			continue
		}
		switch c {
		case '"':
			k.inString = true
		case '{', '[':
			k.depth++
		case ',':
			if k.depth == 1 {
				k.count++
			}
			continue
		default:
			if k.depth--; k.depth == 0 {
				if k.filled {
					k.count++
				}
				return i, true
			}
		}
		k.filled = true
	}
	return len(p), false
}

// string passes over the text of a string.
func (k *skipping) string(p []byte) int {
	if k.escaped {
		k.escaped = false
		return 1
	}
	n := plain(p)
	if n < len(p) {
		k.escaped = p[n] == '\\'
		k.inString = k.escaped || p[n] != '"'
		n++
	}
	return n
}

// plainWindow bounds the look-ahead for a quote, so that many escapes do not make the search quadratic.
const plainWindow = 512

// plain is the length of the text at the start of p that holds neither quote nor backslash, or of a part of it.
func plain(p []byte) int {
	if len(p) > plainWindow {
		p = p[:plainWindow]
	}
	if q := bytes.IndexByte(p, '"'); q >= 0 {
		p = p[:q]
	}
	if b := bytes.IndexByte(p, '\\'); b >= 0 {
		return b
	}
	return len(p)
}
