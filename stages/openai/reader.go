package openai

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// A Reader reads one answer.
type Reader struct {
	f     *stages.Facts
	head  headReader
	chunk chunk

	seen, finished uint64 // choices, a bit each
}

// New returns a Reader that completes f.
func New(f *stages.Facts) *Reader { return &Reader{f: f} }

// Schema is what the Reader wants to know of each event or body.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head reads the figures that vLLM can put there.
func (r *Reader) Head(_ int, h http.Header) { r.head.read(r.f, h) }

// Value takes one value of the chunk under way.
func (r *Reader) Value(v stream.Value) {
	if v.Path == model || v.Path == responseModel {
		if r.f.Model == "" { // once: it stands in every chunk
			r.f.Model = v.String()
		}
		return
	}
	r.chunk.value(v)
}

// Document takes the event or body as a whole.
func (r *Reader) Document(d stream.Document) {
	switch d.Outcome {
	case stream.Complete:
		r.read(&r.chunk, d)
	case stream.DoneMarker:
		// Servers that give no finish reason at least say that they are done.
		if f := r.f; !f.Marks.Done.Known() && f.Error == "" {
			f.Finish(d.At)
		}
	}
	r.chunk = chunk{}
}

func (r *Reader) read(c *chunk, d stream.Document) {
	f := r.f
	if words, failed := c.failure(); failed {
		if f.Error == "" {
			f.Error = words
		}
		return
	}
	f.Formed = f.Formed || c.formed()
	c.usage.into(f)
	c.server.into(f, d.At)
	if c.ollama {
		f.API, f.System = stages.APIOllama, "ollama"
	}
	switch {
	case f.Stage == stages.Embed:
		r.embeddings(c, d)
	case c.responses():
		r.response(c, d)
	default:
		r.completion(c, d)
	}
}

func (r *Reader) embeddings(c *chunk, d stream.Document) {
	if c.vectors {
		r.f.Dimensions = c.dimensions
		r.f.Finish(d.At)
	}
}

// completion takes a chunk of a chat or text completion.
func (r *Reader) completion(c *chunk, d stream.Document) {
	f := r.f
	if d.Stream && c.choices > 0 {
		f.ChoiceEvents.Add(d.At)
	}
	if c.answer || c.reasoning {
		r.token(c, d)
	}
	if !d.Stream {
		f.ToolCalls += c.toolCalls
	}
	if c.stopped {
		r.finish(c.stopType, d)
		return
	}
	r.seen |= c.seen
	if c.finished&^r.finished != 0 {
		r.finished |= c.finished
		// With several choices the answer is finished with the last of them.
		if r.reason(c.finishReason); d.Stream && r.finished == r.seen {
			f.Finish(d.At)
		}
	}
	if !d.Stream && c.choices > 0 {
		f.Finish(d.At)
	}
}

func (r *Reader) finish(reason string, d stream.Document) {
	if r.f.Finish(d.At) {
		r.reason(reason)
	}
}

// reason notes why an answer ended; the first choice's reason stands for all.
func (r *Reader) reason(reason string) {
	if reason == "" {
		return
	}
	if r.f.DoneReason == "" {
		r.f.DoneReason = reason
	}
	r.f.FinishReasons = append(r.f.FinishReasons, reason)
}

func (r *Reader) token(c *chunk, d stream.Document) {
	if d.Stream {
		r.f.Token(d.At, c.answer)
		r.f.ToolCalls += c.toolCalls
	} else {
		r.f.TokenEvents++
	}
}

// End adds the counts of the head, and flags what this way of speaking to Ollama cannot tell.
func (r *Reader) End() {
	r.head.fill(r.f)
	if f := r.f; f.API == stages.APIOllama && f.Stage == stages.LLM {
		f.Flag(stages.FlagPhasesUnknown)
	}
}
