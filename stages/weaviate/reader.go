package weaviate

import (
	"net/http"
	"strconv"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	ansData = iota
	ansGet
	ansGetDistance
	ansGetCertainty
	ansGetScore
	ansGraphQLError
	ansResults
	ansDistance
	ansCertainty
	ansScore
	ansTook
	ansBatchError
	ansError
	ansMessage
	paths
)

var fixedPaths = [paths]string{
	ansData:         "data",
	ansGraphQLError: "errors[].message",
	ansResults:      "results",
	ansDistance:     "results[].metadata.distance",
	ansCertainty:    "results[].metadata.certainty",
	ansScore:        "results[].metadata.score",
	ansTook:         "tookMs",
	ansBatchError:   "[].result.errors.error[].message",
	ansError:        "error[].message",
	ansMessage:      "message",
}

var schema = stream.NewSchema(fixedPaths[:]...)

// A Reader reads one answer of Weaviate.
//
// A distance stays a distance, since its metric is not named. Scores are certainty, which is a cosine similarity mapped to
// 0..1, and the score of hybrid and keyword searches.
type Reader struct {
	f     *stages.Facts
	hits  stages.Hits
	data  bool // GraphQL's envelope was there
	found bool // a list of hits was there
	took  stages.Timing
	bad   bool
	words string
}

// New returns a Reader that fills f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema implements recognise.Reader. The answer to a GraphQL text has the class's name in its paths, so that such an
// exchange has a schema of its own.
func (r *Reader) Schema() *stream.Schema {
	class := r.f.Request.Collection
	if r.f.Request.Operation != "Get" || class == "" {
		return schema
	}
	p := fixedPaths
	p[ansGet] = "data.Get." + class
	p[ansGetDistance] = p[ansGet] + "[]._additional.distance"
	p[ansGetCertainty] = p[ansGet] + "[]._additional.certainty"
	p[ansGetScore] = p[ansGet] + "[]._additional.score"
	return stream.NewSchema(p[:]...)
}

// Head implements recognise.Reader.
func (r *Reader) Head(int, http.Header) {}

// Value implements stream.Sink.
func (r *Reader) Value(v stream.Value) {
	switch v.Path {
	case ansData:
		r.data = true
	case ansGet, ansResults:
		if v.Kind == stream.Array {
			r.found = true
			r.hits.N += v.Len
		}
	case ansGetDistance, ansDistance:
		if d, ok := v.Float(); ok {
			r.hits.Distance(d)
		}
	case ansGetCertainty, ansCertainty, ansGetScore, ansScore:
		s, ok := v.Float()
		if v.Kind == stream.String { // GraphQL has the score as text
			var err error
			s, err = strconv.ParseFloat(v.String(), 64)
			ok = err == nil
		}
		if ok {
			r.hits.Score(s)
		}
	case ansTook:
		// Whole milliseconds, from the handler's start, with the request read, to the answer made.
		ms, ok := v.Float()
		if r.took, r.bad = stages.ReportedMillis(ms); !ok {
			r.took, r.bad = stages.Timing{}, true
		}
	case ansGraphQLError, ansBatchError, ansError, ansMessage:
		if r.words == "" {
			r.words = v.String()
		}
	}
}

// Document implements stream.Sink. GraphQL and batches tell of errors with status 200.
func (r *Reader) Document(d stream.Document) {
	f := r.f
	if d.Outcome != stream.Complete {
		return
	}
	f.Total, f.Error = r.took, r.words
	if r.bad {
		f.Flag(stages.FlagBad + "tookMs")
	}
	if f.Error != "" {
		return
	}
	if r.data || r.found || f.Operation != stages.OpSearch {
		f.Finish(d.At)
	}
	if !r.found {
		return
	}
	if f.Operation == stages.OpRead && f.Request.Operation == "Get" && r.hits.Distances() {
		// The argument that compares vectors stood behind the part of the text that was kept.
		f.Operation, f.Stage = stages.OpSearch, stages.Search
	}
	if f.Operation == stages.OpSearch {
		f.Found(&r.hits)
	}
}

// End implements recognise.Reader.
func (r *Reader) End() {}
