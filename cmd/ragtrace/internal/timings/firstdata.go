package timings

import (
	"time"

	"github.com/ragtrace/ragtrace/stages/recording"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// nothing is the schema of one who wants to know of documents only.
var nothing = stream.NewSchema()

// firstData is when the first byte of the answer's body came, or the first event with data.
func firstData(rec *recording.Recording, events bool) (time.Duration, bool) {
	var first eventWatch
	split := stream.NewSplitter(nothing, stream.Events, &first)
	for _, w := range rec.Response.Writes {
		p := w.Base64
		if p == nil {
			p = []byte(w.Data)
		}
		if !events && len(p) > 0 {
			return w.At.Duration(), true
		}
		if split.Write(w.At.Duration(), p); first.seen {
			return first.at, true
		}
	}
	split.Close(true)
	return first.at, first.seen
}

// An eventWatch notes the first event with data, whatever the data is.
type eventWatch struct {
	seen bool
	at   time.Duration
}

// Value implements stream.Sink.
func (w *eventWatch) Value(stream.Value) {}

// Document implements stream.Sink.
func (w *eventWatch) Document(d stream.Document) {
	if !w.seen && d.Outcome != stream.DoneMarker {
		w.seen, w.at = true, d.At
	}
}
