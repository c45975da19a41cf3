package qdrant

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	ansTime = iota
	ansStatus
	ansError
	ansUpdate
	ansSearchScore
	ansSearchBatchScore
	ansQueryScore
	ansQueryBatchScore
	ansGroupScore
)

// Every point that a search finds has a score, so that scores count the hits.
var schema = stream.NewSchema([]string{
	ansTime:             "time",
	ansStatus:           "status",
	ansError:            "status.error",
	ansUpdate:           "result.status",
	ansSearchScore:      "result[].score",
	ansSearchBatchScore: "result[][].score",
	ansQueryScore:       "result.points[].score",
	ansQueryBatchScore:  "result[].points[].score",
	ansGroupScore:       "result.groups[].hits[].score",
}...)

// A Reader reads one answer of Qdrant.
//
// Scores are Qdrant's own: a similarity for the metrics Cosine and Dot, a distance for Euclid and Manhattan. The answer
// does not name the metric.
type Reader struct {
	f    *stages.Facts
	hits stages.Hits
	took stages.Timing
	bad  bool
	is   bool // the answer has what all of Qdrant's have
}

// New returns a Reader that fills f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema implements recognise.Reader.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head implements recognise.Reader.
func (r *Reader) Head(status int, _ http.Header) {
	if status == http.StatusAccepted {
		r.f.Async = true
	}
}

// Value implements stream.Sink.
func (r *Reader) Value(v stream.Value) {
	if v.Kind == stream.Null {
		return
	}
	switch v.Path {
	case ansTime:
		r.is = true
		// Seconds, from after the request was read to before the answer is written. An update that is only accepted, or
		// is already under way, says next to nothing, and that is true.
		sec, ok := v.Float()
		if r.took, r.bad = stages.ReportedSeconds(sec); !ok {
			r.took, r.bad = stages.Timing{}, true
		}
	case ansStatus:
		r.f.Async = r.f.Async || v.String() == "accepted"
	case ansUpdate:
		r.f.Async = r.f.Async || v.String() == "acknowledged" // wait=false; with wait=true it is "completed"
	case ansError:
		r.f.Error = v.String()
	default:
		if score, ok := v.Float(); ok {
			r.hits.N++
			r.hits.Score(score)
		}
	}
}

// Document implements stream.Sink.
func (r *Reader) Document(d stream.Document) {
	if d.Outcome != stream.Complete {
		return
	}
	f := r.f
	if r.is {
		f.Finish(d.At)
	}
	f.Total = r.took
	if r.bad {
		f.Flag(stages.FlagBad + "time")
	}
	if f.Operation == stages.OpSearch && f.Error == "" {
		f.Found(&r.hits)
	}
}

// End implements recognise.Reader.
func (r *Reader) End() {}
