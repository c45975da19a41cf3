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
		for dec := otlp.NewLines(r); ; {
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
				yield(nil, dec.Fail(err))
				return
			}
			if batch, err := otlp.SplitJSON(answer.Result); err == nil {
				if !yield(batch, nil) {
					return
				}
				continue
			}
			for batch, err := range otlp.ReadJSON(bytes.NewReader(answer.Result)) {
				if err != nil {
					err = dec.Fail(errors.Unwrap(err))
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
