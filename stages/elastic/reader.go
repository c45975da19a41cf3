package elastic

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	ansTook = iota
	ansShards
	ansIndex
	ansTimedOut
	ansHits
	ansScore
	ansMultiHits
	ansMultiScore
	ansError
	ansReason
	ansMultiReason
	ansIndexReason
	ansCreateReason
	ansUpdateReason
	ansDeleteReason
)

var schema = stream.NewSchema([]string{
	ansTook:         "took",
	ansShards:       "_shards",
	ansIndex:        "_index",
	ansTimedOut:     "timed_out",
	ansHits:         "hits.hits",
	ansScore:        "hits.hits[]._score",
	ansMultiHits:    "responses[].hits.hits",
	ansMultiScore:   "responses[].hits.hits[]._score",
	ansError:        "error",
	ansReason:       "error.reason",
	ansMultiReason:  "responses[].error.reason",
	ansIndexReason:  "items[].index.error.reason",
	ansCreateReason: "items[].create.error.reason",
	ansUpdateReason: "items[].update.error.reason",
	ansDeleteReason: "items[].delete.error.reason",
}...)

// A Reader reads one answer of Elasticsearch or OpenSearch.
//
// Scores are _score: for a kNN search a similarity made of the metric, not above 1 for cosine; no scores when the hits
// were sorted otherwise. An answer that came before all shards had theirs has the done reason timed_out.
type Reader struct {
	f        *stages.Facts
	hits     stages.Hits
	is       bool // the answer has what all answers of these servers have some of
	found    bool
	timedOut bool
	took     stages.Timing
	bad      bool
	words    string
}

// New returns a Reader that fills f.
func New(f *stages.Facts) *Reader {
	r := &Reader{f: f}
	if openSearchOnly(&f.Request) {
		r.openSearch()
	}
	return r
}

func (r *Reader) openSearch() {
	r.f.API, r.f.System = stages.APIOpenSearch, string(stages.APIOpenSearch)
}

// Schema implements recognise.Reader.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head implements recognise.Reader. OpenSearch 3 names itself.
func (r *Reader) Head(_ int, h http.Header) {
	if h.Get("X-OpenSearch-Version") != "" {
		r.openSearch()
	}
}

// Value implements stream.Sink.
func (r *Reader) Value(v stream.Value) {
	switch v.Path {
	case ansShards, ansIndex:
		r.is = true
	case ansTook:
		r.is = true
		// Whole milliseconds, from the request at the node that coordinates to the hits gathered; 0 is less than one.
		ms, ok := v.Float()
		if r.took, r.bad = stages.ReportedMillis(ms); !ok {
			r.took, r.bad = stages.Timing{}, true
		}
	case ansTimedOut:
		r.timedOut = v.True()
	case ansHits, ansMultiHits:
		if v.Kind == stream.Array {
			r.found = true
			r.hits.N += v.Len
		}
	case ansScore, ansMultiScore:
		if s, ok := v.Float(); ok {
			r.hits.Score(s)
		}
	default: // errors; the first has the cause
		if r.words == "" {
			r.words = v.String()
		}
	}
}

// Document implements stream.Sink. Bulk and multi-search tell of errors with status 200.
func (r *Reader) Document(d stream.Document) {
	f := r.f
	if d.Outcome != stream.Complete {
		return
	}
	f.Total, f.Error = r.took, r.words
	if r.bad {
		f.Flag(stages.FlagBad + "took")
	}
	switch {
	case f.Error != "":
	case f.Operation != stages.OpSearch:
		if r.is {
			f.Finish(d.At)
		}
	case r.found:
		f.Finish(d.At)
		f.Found(&r.hits)
		if r.timedOut {
			f.DoneReason = "timed_out"
		}
	}
}

// End implements recognise.Reader.
func (r *Reader) End() {}
