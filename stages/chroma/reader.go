package chroma

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	ansIDList = iota
	ansIDs
	ansDistance
	ansScore
	ansError
	ansMessage
	ansDetail
)

// Answers to a query hold, for each query, a list of ids and a list of distances.
var schema = stream.NewSchema([]string{
	ansIDList:   "ids",
	ansIDs:      "ids[]",
	ansDistance: "distances[][]",
	ansScore:    "scores[][]",
	ansError:    "error",
	ansMessage:  "message",
	ansDetail:   "detail",
}...)

// A Reader reads one answer of Chroma.
//
// Distances stay distances: the answer does not name the metric (l2, ip, cosine). The scores of /search are distances
// too: "lower is better".
type Reader struct {
	f                      *stages.Facts
	hits                   stages.Hits
	found                  bool // a list of ids was there
	failed                 bool
	failure, message, what string
}

// New returns a Reader that fills f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema implements recognise.Reader.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head implements recognise.Reader.
func (r *Reader) Head(status int, _ http.Header) { r.failed = status >= http.StatusBadRequest }

// Value implements stream.Sink.
func (r *Reader) Value(v stream.Value) {
	switch v.Path {
	case ansIDList:
		r.found = v.Kind == stream.Array
	case ansIDs:
		if v.Kind == stream.Array {
			r.hits.N += v.Len
		}
	case ansDistance, ansScore:
		if d, ok := v.Float(); ok {
			r.hits.Distance(d)
		}
	case ansError:
		r.failure = v.String()
	case ansMessage:
		r.message = v.String()
	case ansDetail:
		r.what = v.String()
	}
}

// Document implements stream.Sink.
func (r *Reader) Document(d stream.Document) {
	switch {
	case d.Outcome != stream.Complete:
	case r.failed:
		// The words are in message; error is the name of the kind. The first servers had the words in error or detail.
		for _, s := range []string{r.message, r.failure, r.what} {
			if r.f.Error == "" {
				r.f.Error = s
			}
		}
	case r.f.Operation != stages.OpSearch:
		r.f.Finish(d.At)
	case r.found:
		r.f.Finish(d.At)
		r.f.Found(&r.hits)
	}
}

// End implements recognise.Reader.
func (r *Reader) End() {}
