package tei

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	ansList = iota
	ansVector
	ansError
)

var schema = stream.NewSchema([]string{
	ansList:   "$",
	ansVector: "[]",
	ansError:  "error",
}...)

// A Reader reads one answer with embeddings.
type Reader struct {
	f          *stages.Facts
	found      bool
	dimensions int64
	words      string
}

// New returns a Reader that fills f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema implements recognise.Reader.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head implements recognise.Reader. The headers are read by the function Head, whatever the path.
func (r *Reader) Head(int, http.Header) {}

// Value implements stream.Sink.
func (r *Reader) Value(v stream.Value) {
	switch v.Path {
	case ansList:
		r.found = v.Kind == stream.Array
	case ansVector:
		if v.Kind == stream.Array {
			r.dimensions = v.Len
		}
	case ansError:
		r.words = v.String()
	}
}

// Document implements stream.Sink.
func (r *Reader) Document(d stream.Document) {
	if d.Outcome != stream.Complete {
		return
	}
	r.f.Error = r.words
	if !r.found {
		return
	}
	r.f.Finish(d.At)
	if r.f.Request.Operation == "embed" { // the others answer a vector for each token, or sparse ones
		r.f.Dimensions = int(r.dimensions)
	}
}

// End implements recognise.Reader.
func (r *Reader) End() {}
