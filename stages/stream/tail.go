package stream

import "unicode/utf8"

// A tail keeps the last bytes of a text.
type tail struct {
	buf [maxText]byte // a ring
	n   int64         // bytes seen
}

func (t *tail) append(p []byte) {
	if skip := len(p) - len(t.buf); skip > 0 {
		t.n += int64(skip)
		p = p[skip:]
	}
	at := int(t.n % maxText)
	copy(t.buf[:], p[copy(t.buf[at:], p):])
	t.n += int64(len(p))
}

// end is the end of the text when it is longer than what was kept of its beginning, and its path asks for it.
func (t *text) end() []byte {
	if t.tail == nil {
		return nil
	}
	at := int(t.tail.n % maxText)
	b := append(append(make([]byte, 0, maxText), t.tail.buf[at:]...), t.tail.buf[:at]...)
	for len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	return b
}
