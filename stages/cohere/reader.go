package cohere

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	ansEmbeddings = iota
	ansVector
	ansTyped
	ansBilled
	ansMessage
)

var schema = stream.NewSchema([]string{
	ansEmbeddings: "embeddings",
	ansVector:     "embeddings[]",   // when the request names no types, in v1
	ansTyped:      "embeddings.*[]", // by type: float, int8, ubinary, ...
	ansBilled:     "meta.billed_units.input_tokens",
	ansMessage:    "message",
}...)

// A Reader reads one answer with embeddings.
type Reader struct {
	f      *stages.Facts
	failed bool
	found  bool
	input  stages.Count
	words  string
}

// New returns a Reader that fills f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema implements recognise.Reader.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head implements recognise.Reader.
func (r *Reader) Head(status int, _ http.Header) { r.failed = status >= http.StatusBadRequest }

// Value implements stream.Sink. Of several types of one vector the longest shows its dimensions: binary ones are packed.
func (r *Reader) Value(v stream.Value) {
	switch v.Path {
	case ansEmbeddings:
		r.found = v.Kind == stream.Array || v.Kind == stream.Object
	case ansVector, ansTyped:
		if v.Kind == stream.Array {
			r.f.Dimensions = max(r.f.Dimensions, int(v.Len))
		}
	case ansBilled:
		r.input.Report(v.Int())
	case ansMessage:
		r.words = v.String()
	}
}

// Document implements stream.Sink.
func (r *Reader) Document(d stream.Document) {
	switch {
	case d.Outcome != stream.Complete:
	case r.failed:
		r.f.Error = r.words
	case r.found:
		r.f.Finish(d.At)
		r.f.InputTokens = r.input
	}
}

// End implements recognise.Reader.
func (r *Reader) End() {}
