package tgi

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	ansText = iota
	ansTokenText
	ansTokenSpecial
	ansReason
	ansGenerated
	ansInputLength
	ansError
)

var schema = stream.NewSchema([]string{
	ansText:         "generated_text#",
	ansTokenText:    "token.text#",
	ansTokenSpecial: "token.special",
	ansReason:       "details.finish_reason",
	ansGenerated:    "details.generated_tokens",
	ansInputLength:  "details.input_length",
	ansError:        "error",
}...)

// A Reader reads one answer of TGI.
type Reader struct {
	f     *stages.Facts
	times times
	event event
}

// An event is what one event of a stream, or the body of an answer that was not streamed, says.
type event struct {
	text, token, special bool
	reason, err          string
	input, output        stages.Count
}

// New returns a Reader that fills f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema implements recognise.Reader.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head implements recognise.Reader.
func (r *Reader) Head(_ int, h http.Header) { r.readHead(h) }

// Value implements stream.Sink.
func (r *Reader) Value(v stream.Value) {
	e := &r.event
	switch v.Path {
	case ansText:
		e.text = v.Kind == stream.String // null until the last event
	case ansTokenText:
		e.token = v.Len > 0
	case ansTokenSpecial:
		e.special = v.True() // the end of the sequence, which is no text of the answer
	case ansReason:
		e.reason = v.String()
	case ansGenerated:
		e.output.Report(v.Int())
	case ansInputLength:
		e.input.Report(v.Int())
	case ansError:
		e.err = v.String()
	}
}

// Document implements stream.Sink. Errors in a stream are events like any other.
func (r *Reader) Document(d stream.Document) {
	if d.Outcome == stream.Complete {
		r.read(&r.event, d)
	}
	r.event = event{}
}

func (r *Reader) read(e *event, d stream.Document) {
	f := r.f
	switch {
	case e.err != "":
		f.Error = e.err
		return
	case e.token && !e.special:
		f.Token(d.At, true)
	case !d.Stream && e.text:
		f.TokenEvents++
	}
	if !e.text || !f.Finish(d.At) {
		return
	}
	if f.DoneReason = e.reason; e.reason != "" {
		f.FinishReasons = append(f.FinishReasons, e.reason)
	}
	if e.output.Known() {
		f.OutputTokens = e.output
	}
	if e.input.Known() {
		f.InputTokens = e.input
	}
}

// End implements recognise.Reader.
func (r *Reader) End() { r.place() }
