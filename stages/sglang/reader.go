package sglang

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// Match says that a request generates text; the path alone may be that of another server.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/generate") && body.Extra["sampling_params"] {
		return stages.OpTextCompletion
	}
	return ""
}

// The values wanted of an answer: python/sglang/srt/managers/tokenizer_manager.py, meta_info.
const (
	text = iota
	finish
	finishType
	promptTokens
	completionTokens
	cachedTokens
	latency
	other
	errorText
	errorMessage
)

var schema = stream.NewSchema([]string{
	text:             "text#",
	finish:           "meta_info.finish_reason", // a word in old versions
	finishType:       "meta_info.finish_reason.type",
	promptTokens:     "meta_info.prompt_tokens",
	completionTokens: "meta_info.completion_tokens", // running
	cachedTokens:     "meta_info.cached_tokens",
	latency:          "meta_info.e2e_latency", // seconds, from arrival to the end
	other:            "meta_info.*",           // with --enable-metrics, by names that change: queue_time, ...
	errorText:        "error",
	errorMessage:     "error.message",
}...)

// A Reader reads one answer.
type Reader struct {
	f     *stages.Facts
	event event
	known int64 // length of the text that has come

	figures []stages.Figure
}

// maxFigures bounds how many numbers of its own a server may add.
const maxFigures = 16

type event struct {
	length        int64
	hasText       bool
	reason        string
	input, output stages.Count
	cached        stages.Count
	total         stages.Timing
	badTotal      bool
	failed        bool
	err           string
}

// New returns a Reader that completes f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema is what the Reader wants to know of each event or body.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head is of no interest.
func (r *Reader) Head(int, http.Header) {}

// Value takes one value of the event under way.
func (r *Reader) Value(v stream.Value) {
	e := &r.event
	switch v.Path {
	case text:
		e.length, e.hasText = v.Len, true
	case finish, finishType:
		if v.Kind == stream.String {
			e.reason = v.String()
		}
	case promptTokens:
		e.input.Report(v.Int())
	case completionTokens:
		e.output.Report(v.Int())
	case cachedTokens:
		e.cached.Report(v.Int())
	case latency:
		if s, ok := v.Float(); ok {
			e.total, e.badTotal = stages.ReportedSeconds(s)
		}
	case other:
		r.figure(v)
	case errorText, errorMessage:
		e.failed = e.failed || !v.Empty()
		if v.Kind == stream.String {
			e.err = v.String()
		}
	}
}

// figure takes a number under the server's own name. They stand in every event.
func (r *Reader) figure(v stream.Value) {
	n, ok := v.Float()
	if !ok || !isName(v.Key) {
		return
	}
	for i := range r.figures {
		if r.figures[i].Name == string(v.Key) {
			r.figures[i].Value = n
			return
		}
	}
	if len(r.figures) < maxFigures {
		r.figures = append(r.figures, stages.Figure{Name: string(v.Key), Value: n})
	}
}

// isName reports whether a field's name can be part of an attribute's.
func isName(key []byte) bool {
	for _, c := range key {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(key) > 0
}

// Document takes the event or body as a whole.
func (r *Reader) Document(d stream.Document) {
	switch f := r.f; {
	case d.Outcome == stream.Complete:
		r.read(&r.event, d)
	case d.Outcome == stream.DoneMarker && !f.Marks.Done.Known() && f.Error == "":
		f.Finish(d.At)
	}
	r.event = event{}
}

func (r *Reader) read(e *event, d stream.Document) {
	f := r.f
	if e.failed {
		if f.Error = e.err; e.err == "" {
			f.Error = "error without a message"
		}
		return
	}
	if e.length > r.known {
		r.known = e.length
		if d.Stream {
			f.Token(d.At, true)
		} else {
			f.TokenEvents++
		}
	}
	if e.reason != "" || !d.Stream && e.hasText {
		if !f.Finish(d.At) {
			return
		}
		f.DoneReason = e.reason
		if e.reason != "" {
			f.FinishReasons = append(f.FinishReasons, e.reason)
		}
		f.InputTokens, f.OutputTokens, f.CachedTokens, f.Total = e.input, e.output, e.cached, e.total
		f.Figures = r.figures
		if e.badTotal {
			f.Flag(stages.FlagBad + "e2e_latency")
		}
	}
}

// End has nothing to add.
func (r *Reader) End() {}
