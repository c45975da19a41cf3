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
	ansExplore
	ansExploreDistance
	ansExploreCertainty
	ansTook
	ansBatchError
	ansError
	ansMessage
)

var schema = stream.NewSchema([]string{
	ansData:             "data",
	ansGet:              "data.Get.*", // by class, or by alias
	ansGetDistance:      "data.Get.*[]._additional.distance",
	ansGetCertainty:     "data.Get.*[]._additional.certainty",
	ansGetScore:         "data.Get.*[]._additional.score",
	ansExplore:          "data.Explore",
	ansExploreDistance:  "data.Explore[].distance",
	ansExploreCertainty: "data.Explore[].certainty",
	ansGraphQLError:     "errors[].message",
	ansResults:          "results",
	ansDistance:         "results[].metadata.distance",
	ansCertainty:        "results[].metadata.certainty",
	ansScore:            "results[].metadata.score",
	ansTook:             "tookMs",
	ansBatchError:       "[].result.errors.error[].message",
	ansError:            "error[].message",
	ansMessage:          "message",
}...)

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

// Schema implements recognise.Reader.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head implements recognise.Reader.
func (r *Reader) Head(int, http.Header) {}

// Value implements stream.Sink.
func (r *Reader) Value(v stream.Value) {
	switch v.Path {
	case ansData:
		r.data = true
	case ansGet, ansExplore, ansResults:
		if v.Kind == stream.Array {
			r.found = true
			r.hits.N += v.Len
		}
	case ansGetDistance, ansExploreDistance, ansDistance:
		if d, ok := v.Float(); ok {
			r.hits.Distance(d)
		}
	case ansGetCertainty, ansExploreCertainty, ansCertainty, ansGetScore, ansScore:
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
		// The argument that compares vectors stood in the part of the text that was not kept.
		f.Operation, f.Stage = stages.OpSearch, stages.Search
	}
	if f.Operation == stages.OpSearch {
		f.Found(&r.hits)
	}
}

// End implements recognise.Reader.
func (r *Reader) End() {}
