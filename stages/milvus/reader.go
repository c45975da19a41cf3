package milvus

import (
	"fmt"
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	ansCode = iota
	ansMessage
	ansData
	ansDistance
)

var schema = stream.NewSchema([]string{
	ansCode:     "code",
	ansMessage:  "message",
	ansData:     "data",
	ansDistance: "data[].distance",
}...)

// A Reader reads one answer of Milvus.
//
// What the API calls distance stays one, though for the metrics IP and COSINE, which the answer does not name, more is
// nearer.
type Reader struct {
	f       *stages.Facts
	hits    stages.Hits
	code    int64
	coded   bool
	found   bool
	message string
}

// New returns a Reader that fills f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema implements recognise.Reader.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head implements recognise.Reader.
func (r *Reader) Head(int, http.Header) {}

// Value implements stream.Sink.
func (r *Reader) Value(v stream.Value) {
	switch v.Path {
	case ansCode:
		r.code, r.coded = v.Int()
	case ansMessage:
		r.message = v.String()
	case ansData:
		if v.Kind == stream.Array { // the hits of all queries, one after another
			r.found = true
			r.hits.N = v.Len
		}
	case ansDistance:
		if d, ok := v.Float(); ok {
			r.hits.Distance(d)
		}
	}
}

// Document implements stream.Sink. Errors come with status 200 and a code of their own; 0 is success, 200 in v1 and the
// first v2.
func (r *Reader) Document(d stream.Document) {
	f := r.f
	if d.Outcome != stream.Complete || !r.coded {
		return
	}
	if r.code != 0 && r.code != http.StatusOK {
		if f.Error = r.message; r.message == "" {
			f.Error = fmt.Sprintf("code %d", r.code)
		}
		return
	}
	f.Finish(d.At)
	if f.Operation == stages.OpSearch && r.found {
		f.Found(&r.hits)
	}
}

// End implements recognise.Reader.
func (r *Reader) End() {}
