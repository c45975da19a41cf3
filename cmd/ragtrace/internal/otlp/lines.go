package otlp

import (
	"bytes"
	"encoding/json"
	"io"
)

// A Lines is a decoder of JSON that knows in which line it is.
type Lines struct {
	*json.Decoder
	r    io.Reader
	ends int // of lines that were read
}

// NewLines makes a decoder of what is in r.
func NewLines(r io.Reader) *Lines {
	l := &Lines{r: r}
	l.Decoder = json.NewDecoder(lineEnds{l})
	return l
}

// Fail says in which line the decoder is. An end of the input is taken for one that came too early.
func (l *Lines) Fail(err error) *LineError {
	ahead, _ := io.ReadAll(l.Buffered())       // from memory
	ahead = bytes.TrimLeft(ahead, " \t\r\n,:") // what is between values has been read
	return &LineError{Line: 1 + l.ends - bytes.Count(ahead, []byte{'\n'}), Err: unexpected(err)}
}

type lineEnds struct{ l *Lines }

func (e lineEnds) Read(p []byte) (int, error) {
	n, err := e.l.r.Read(p)
	e.l.ends += bytes.Count(p[:n], []byte{'\n'})
	return n, err
}
