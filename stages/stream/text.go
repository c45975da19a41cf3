package stream

import (
	"unicode/utf16"
	"unicode/utf8"
)

// maxText is how much of one string is kept.
const maxText = 512

// text decodes one string or literal and keeps its beginning.
type text struct {
	buf  [maxText]byte
	used int
	len  int64 // decoded length, kept or not
	keep bool

	keepEnd bool
	tail    *tail // the end of a text that is longer than buf; made at need

	escape uint8 // 0: none; 1: after a backslash; 2..5: digits of \u to come, plus one
	unit   rune  // the \u escape under way
	high   rune  // a high surrogate that waits for its low one
}

func (t *text) begin(keep bool) {
	t.used, t.len, t.keep, t.escape, t.high = 0, 0, keep, 0, 0
	t.keepEnd, t.tail = false, nil
}

// kept is what was kept: a prefix, cut between runes.
func (t *text) kept() []byte {
	b := t.buf[:t.used]
	if t.whole() {
		return b
	}
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// whole reports whether all of the text was kept.
func (t *text) whole() bool { return int64(t.used) == t.len }

func (t *text) literal(c byte) { t.add(c) }

func (t *text) add(c byte) {
	if t.keepEnd {
		t.append([]byte{c})
		return
	}
	t.len++
	if t.keep && t.used < maxText {
		t.buf[t.used] = c
		t.used++
	}
}

func (t *text) append(p []byte) {
	t.len += int64(len(p))
	if t.keep && t.used < maxText {
		n := copy(t.buf[t.used:], p)
		t.used += n
		p = p[n:]
	}
	if t.keepEnd && len(p) > 0 {
		if t.tail == nil {
			t.tail = new(tail)
			t.tail.append(t.buf[:t.used])
		}
		t.tail.append(p)
	}
}

// write takes text up to the closing quote. It returns how many bytes it took and whether the quote was among them.
func (t *text) write(p []byte) (n int, ended bool) {
	for i := 0; i < len(p); {
		if t.escape > 0 {
			t.unescape(p[i])
			i++
			continue
		}
		if run := plain(p[i:]); run > 0 {
			t.flushHigh()
			t.append(p[i : i+run])
			i += run
			continue
		}
		if p[i] == '"' {
			t.flushHigh()
			return i + 1, true
		}
		t.escape = 1
		i++
	}
	return len(p), false
}

// unescape takes one byte of an escape sequence.
func (t *text) unescape(c byte) {
	if t.escape == 1 {
		t.escape = 0
		switch c {
		case 'u':
			t.escape, t.unit = 5, 0
			return
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		}
		t.flushHigh()
		t.add(c)
		return
	}
	t.unit = t.unit<<4 | hexDigit(c)
	if t.escape--; t.escape > 1 {
		return
	}
	t.escape = 0
	t.addUnit()
}

// addUnit adds the \u escape that is complete, joined with the half before it.
func (t *text) addUnit() {
	if r := utf16.DecodeRune(t.high, t.unit); r != utf8.RuneError {
		t.high = 0
		t.addRune(r)
		return
	}
	t.flushHigh()
	if utf16.IsSurrogate(t.unit) && t.unit < 0xDC00 {
		t.high = t.unit
		return
	}
	t.addRune(t.unit) // a lone low half becomes U+FFFD
}

// flushHigh replaces a high surrogate that no low one follows.
func (t *text) flushHigh() {
	if t.high != 0 {
		t.high = 0
		t.addRune(utf8.RuneError)
	}
}

func (t *text) addRune(r rune) {
	var b [utf8.UTFMax]byte
	t.append(b[:utf8.EncodeRune(b[:], r)])
}

func hexDigit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return 0
}
