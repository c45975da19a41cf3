package otlp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// object reads an object, or null, and calls value for every key; value must read the value.
func object(dec *json.Decoder, value func(key string) error) error {
	if empty, err := open(dec, '{'); empty || err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return unexpected(err)
		}
		if err := value(key.(string)); err != nil {
			return unexpected(err)
		}
	}
	_, err := dec.Token()
	return unexpected(err)
}

// array reads an array, or null, and calls element before every element, which it must read.
func array(dec *json.Decoder, element func() error) error {
	if empty, err := open(dec, '['); empty || err != nil {
		return unexpected(err)
	}
	for dec.More() {
		if err := element(); err != nil {
			return unexpected(err)
		}
	}
	_, err := dec.Token()
	return unexpected(err)
}

// open reads the bracket that opens an object or array, or null. io.EOF is the end of the input before it.
func open(dec *json.Decoder, bracket json.Delim) (empty bool, err error) {
	token, err := dec.Token()
	if err != nil || token == nil {
		return true, err
	}
	if token != bracket {
		return true, fmt.Errorf("found %v where %v was due", token, bracket)
	}
	return false, nil
}

func skip(dec *json.Decoder) error {
	var ignored json.RawMessage
	return dec.Decode(&ignored)
}

// unexpected is err, but an end of the input inside a value is no clean one.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// errorOffset is where err was found, in bytes from the start of the input. Between tokens a decoder counts too little in
// its own errors, so that what it has not consumed is scanned again.
func errorOffset(dec *json.Decoder, err error) int64 {
	offset := dec.InputOffset()
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		var ignored json.RawMessage
		rest, err := io.ReadAll(dec.Buffered())
		if err == nil {
			err = json.Unmarshal(rest, &ignored)
		}
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset += syntax.Offset
		}
	}
	return offset
}

// A lineReader remembers where lines end, since a decoder tells offsets and people count lines.
type lineReader struct {
	r      io.Reader
	read   int64
	before int     // lines that ended before the ends
	ends   []int64 // offsets behind line feeds, from the last forget on
}

func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i)+1)
		}
	}
	l.read += int64(n)
	return n, err
}

// line is the line, from 1, in which the byte before offset lies.
func (l *lineReader) line(offset int64) int {
	line := l.before + 1
	for _, end := range l.ends {
		if end < offset {
			line++
		}
	}
	return line
}

// forget gives up the lines before offset.
func (l *lineReader) forget(offset int64) {
	n := 0
	for n < len(l.ends) && l.ends[n] <= offset {
		n++
	}
	l.before += n
	l.ends = append(l.ends[:0], l.ends[n:]...)
}
