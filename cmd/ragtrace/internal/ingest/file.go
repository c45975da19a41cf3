package ingest

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"iter"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// ReadFile reads a file of OTLP/JSON, packed with gzip or not: requests one after another, each on a line of its own or
// over several, as the file exporter of the OpenTelemetry Collector writes them. It yields the spans of a request at a time.
// An error names the line; after it there may be more, since spans that cannot be read do not take the others with them.
func ReadFile(r io.Reader) iter.Seq2[[]model.Span, error] {
	return func(yield func([]model.Span, error) bool) {
		buffered := bufio.NewReader(r)
		r = buffered
		// https://www.rfc-editor.org/rfc/rfc1952#page-6
		if head, err := buffered.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
			unpacked, err := gzip.NewReader(buffered)
			if err != nil {
				yield(nil, fmt.Errorf("gzip: %w", err))
				return
			}
			r = unpacked
		}
		for batch, err := range otlp.ReadJSON(r) {
			if err != nil {
				yield(nil, err)
				return
			}
			spans, err := batch.Decode()
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(spans, nil) {
				return
			}
			if n, reasons := batch.Refusal(); n > 0 {
				if !yield(nil, fmt.Errorf("line %d: %d spans refused (%s)", batch.Line, n, reasons)) {
					return
				}
			}
		}
	}
}
