package ollama

import (
	"net/http"
	"slices"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// The values wanted of an answer. Durations are nanoseconds and, like counts, left out when zero (api/types.go, Metrics).
const (
	model = iota
	createdAt
	response
	thinking
	messageContent
	messageThinking
	messageToolCalls
	done
	doneReason
	errorText
	totalDuration
	loadDuration
	promptEvalCount
	promptEvalCachedCount
	promptEvalDuration
	evalCount
	evalDuration
	embeddingsElem
	embedding
	remoteHost
)

var schema = stream.NewSchema([]string{
	model:                 "model",
	createdAt:             "created_at",
	response:              "response#",
	thinking:              "thinking#",
	messageContent:        "message.content#",
	messageThinking:       "message.thinking#",
	messageToolCalls:      "message.tool_calls#",
	done:                  "done",
	doneReason:            "done_reason",
	errorText:             "error",
	totalDuration:         "total_duration",
	loadDuration:          "load_duration",
	promptEvalCount:       "prompt_eval_count",
	promptEvalCachedCount: "prompt_eval_cached_count",
	promptEvalDuration:    "prompt_eval_duration",
	evalCount:             "eval_count",
	evalDuration:          "eval_duration",
	embeddingsElem:        "embeddings[]",
	embedding:             "embedding",
	remoteHost:            "remote_host", // of a cloud model
}...)

// A Reader reads one answer.
type Reader struct {
	f      *stages.Facts
	line   line
	stamps stamps
}

// New returns a Reader that completes f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema is what the Reader wants to know of each line or body.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head is of no interest: errors say so in the body too.
func (r *Reader) Head(int, http.Header) {}

// Value takes one value of the line under way.
func (r *Reader) Value(v stream.Value) {
	l := &r.line
	switch v.Path {
	case model:
		if r.f.Model == "" {
			r.f.Model = v.String()
		}
	case createdAt:
		l.stamp = timestamp(v)
	case response, messageContent:
		l.answer = l.answer || v.Kind == stream.String && v.Len > 0
	case thinking, messageThinking:
		l.reasoning = l.reasoning || v.Kind == stream.String && v.Len > 0
	case messageToolCalls:
		l.toolCalls = int(v.Len)
	case remoteHost:
		r.f.Remote = !v.Empty()
	case done:
		l.done, l.formed = v.True(), v.Kind == stream.Bool
	case doneReason:
		l.doneReason = v.String()
	case errorText:
		l.err = v.String()
	case totalDuration:
		l.duration(&l.total, "total_duration", v)
	case loadDuration:
		l.duration(&l.load, "load_duration", v)
	case promptEvalDuration:
		l.duration(&l.prefill, "prompt_eval_duration", v)
	case evalDuration:
		l.duration(&l.decode, "eval_duration", v)
	case promptEvalCount:
		l.input.Report(v.Int())
	case promptEvalCachedCount:
		l.cached.Report(v.Int())
	case evalCount:
		l.output.Report(v.Int())
	case embeddingsElem, embedding: // the legacy path answers one
		l.dimensions = max(l.dimensions, int(v.Len))
	}
}

// Document takes the line or body as a whole.
func (r *Reader) Document(d stream.Document) {
	l := &r.line
	if d.Outcome == stream.Complete {
		r.read(l, d)
	}
	*l = line{}
}

func (r *Reader) read(l *line, d stream.Document) {
	f := r.f
	f.Formed = f.Formed || l.formed
	if l.err != "" {
		if f.Error == "" {
			f.Error = l.err
		}
		return
	}
	if l.answer || l.reasoning || l.toolCalls > 0 {
		r.token(l, d)
	}
	// Some builds send a reason without the done that belongs to it.
	if f.Stage == stages.Embed || l.done || l.doneReason != "" {
		r.finish(l, d)
	}
}

func (r *Reader) token(l *line, d stream.Document) {
	if !d.Stream {
		r.f.TokenEvents++
	} else {
		answer := l.answer || l.toolCalls > 0
		r.f.Token(d.At, answer)
		r.stamps.token(l.stamp, answer)
	}
	r.f.ToolCalls += l.toolCalls
}

// finish takes the figures of the last line.
func (r *Reader) finish(l *line, d stream.Document) {
	f := r.f
	if !f.Finish(d.At) {
		return
	}
	f.DoneReason = l.doneReason
	if l.doneReason != "" {
		f.FinishReasons = append(f.FinishReasons, l.doneReason)
	}
	switch l.doneReason {
	case "load":
		f.Operation = stages.OpLoad
	case "unload":
		f.Operation = stages.OpUnload
	}
	f.Total, f.Load, f.Prefill, f.Decode = l.total, l.load, l.prefill, l.decode
	f.InputTokens, f.CachedTokens, f.OutputTokens = l.input, l.cached, l.output
	f.Dimensions = l.dimensions
	for _, field := range slices.Sorted(slices.Values(l.bad[:l.bads])) {
		f.Flag(stages.FlagBad + field)
	}
	r.stamps.done(f, l.stamp)
}

// End adds what the stamps of a broken answer tell, and what is known of the version. Of a cloud model it is another server's, and not known; since v0.30 the answer to
// such a call is passed on as it is (server/cloud_proxy.go), so that only the model's name tells.
func (r *Reader) End() {
	f := r.f
	if !f.Marks.Done.Known() {
		r.stamps.cut(f)
	}
	if m := f.Request.Model; strings.HasSuffix(m, ":cloud") || strings.HasSuffix(m, "-cloud") {
		f.Remote = true
	}
	if f.Server == nil || f.Remote || f.Stage != stages.LLM {
		return
	}
	format := ""
	if m := f.Request.Model; m != "" {
		format = f.Server.Formats[tagged(m)]
	}
	SemanticsOf(f.Server.Version, format).apply(f)
}
