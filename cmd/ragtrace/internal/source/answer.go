package source

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// results reads an answer of /api/v3. That is one object with the resources of all traces in a row, or several objects after
// one another when the answer is streamed: the place of a span says nothing of its trace.
func results(r io.Reader) iter.Seq2[*otlp.Batch, error] {
	return func(yield func(*otlp.Batch, error) bool) {
		lines := &lineCounter{r: r}
		for dec := json.NewDecoder(lines); ; {
			var answer struct {
				Result json.RawMessage `json:"result"`
				apiError
			}
			err := dec.Decode(&answer)
			if err == io.EOF {
				return
			}
			if err == nil && answer.Error.Message != "" {
				err = errors.New(answer.Error.Message)
			}
			if err != nil {
				yield(nil, lines.fail(dec, err))
				return
			}
			for batch, err := range otlp.ReadJSON(bytes.NewReader(answer.Result)) {
				if err != nil {
					err = lines.fail(dec, errors.Unwrap(err))
				}
				if !yield(batch, err) {
					return
				}
			}
		}
	}
}

// readAnswer reads an answer that somebody has saved.
func readAnswer(r *bufio.Reader, yield func(*otlp.Batch, error) bool) {
	results(r)(yield)
}

// A lineCounter counts the lines that a decoder has read.
type lineCounter struct {
	r    io.Reader
	ends int
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.ends += bytes.Count(p[:n], []byte{'\n'})
	return n, err
}

// fail says in which line of l the decoder is.
func (l *lineCounter) fail(dec *json.Decoder, err error) error {
	ahead, _ := io.ReadAll(dec.Buffered())     // from memory
	ahead = bytes.TrimLeft(ahead, " \t\r\n,:") // what is between values has been read
	return &otlp.LineError{Line: 1 + l.ends - bytes.Count(ahead, []byte{'\n'}), Err: noEnd(err)}
}
