package lmstudio

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	v0Model = iota
	v0Text
	v0Content
	v0Reasoning
	v0ToolCalls
	v0DeltaContent
	v0DeltaReasoning
	v0DeltaToolCalls
	v0DeltaToolName
	v0Finish
	v0Vector
	v0PromptTokens
	v0OutputTokens
	v0Speed
	v0FirstToken
	v0Generation
	v0StopReason
	v0Error
	v0ErrorMessage
)

var v0Schema = stream.NewSchema([]string{
	v0Model:          "model",
	v0Text:           "choices[].text#",
	v0Content:        "choices[].message.content#",
	v0Reasoning:      "choices[].message.reasoning_content#",
	v0ToolCalls:      "choices[].message.tool_calls#",
	v0DeltaContent:   "choices[].delta.content#",
	v0DeltaReasoning: "choices[].delta.reasoning_content#",
	v0DeltaToolCalls: "choices[].delta.tool_calls",
	v0DeltaToolName:  "choices[].delta.tool_calls[].function.name#",
	v0Finish:         "choices[].finish_reason",
	v0Vector:         "data[].embedding",
	v0PromptTokens:   "usage.prompt_tokens",
	v0OutputTokens:   "usage.completion_tokens",
	v0Speed:          "stats.tokens_per_second",
	v0FirstToken:     "stats.time_to_first_token",
	v0Generation:     "stats.generation_time",
	v0StopReason:     "stats.stop_reason",
	v0Error:          "error",
	v0ErrorMessage:   "error.message",
}...)

// A ReaderV0 reads one answer of the older API.
type ReaderV0 struct {
	f     *stages.Facts
	chunk v0Chunk
}

// A v0Chunk is what one event of a stream, or the body of an answer that was not streamed, says.
type v0Chunk struct {
	answer, reasoning       bool
	toolCalls               int
	finish, stop, err       string
	model                   string
	dimensions              int
	input, output           stages.Count
	speed                   float64
	firstToken, generation  stages.Timing
	badFirst, badGeneration bool
}

// NewV0 returns a ReaderV0 that fills f.
func NewV0(f *stages.Facts) *ReaderV0 { return &ReaderV0{f: f} }

// Schema implements recognise.Reader.
func (r *ReaderV0) Schema() *stream.Schema { return v0Schema }

// Head implements recognise.Reader.
func (r *ReaderV0) Head(int, http.Header) {}

// Value implements stream.Sink.
func (r *ReaderV0) Value(v stream.Value) {
	c := &r.chunk
	switch v.Path {
	case v0Model:
		c.model = v.String()
	case v0Text, v0Content, v0DeltaContent:
		c.answer = c.answer || v.Kind == stream.String && v.Len > 0
	case v0Reasoning, v0DeltaReasoning:
		c.reasoning = c.reasoning || v.Kind == stream.String && v.Len > 0
	case v0DeltaToolCalls:
		c.answer = c.answer || v.Len > 0 // a piece of one, perhaps
	case v0ToolCalls:
		c.toolCalls += int(v.Len)
		c.answer = c.answer || v.Len > 0
	case v0DeltaToolName:
		if !v.Empty() {
			c.toolCalls++
		}
	case v0Finish:
		c.finish = v.String()
	case v0Vector:
		c.dimensions = int(v.Len)
	case v0PromptTokens:
		c.input.Report(v.Int())
	case v0OutputTokens:
		c.output.Report(v.Int())
	case v0Speed:
		c.speed, _ = v.Float()
	case v0FirstToken:
		c.firstToken, c.badFirst = seconds(v)
	case v0Generation:
		c.generation, c.badGeneration = seconds(v)
	case v0StopReason:
		c.stop = v.String()
	case v0Error, v0ErrorMessage:
		if v.Kind == stream.String {
			c.err = v.String()
		}
	}
}

// Document implements stream.Sink.
func (r *ReaderV0) Document(d stream.Document) {
	switch f := r.f; {
	case d.Outcome == stream.Complete:
		r.read(&r.chunk, d)
	case d.Outcome == stream.DoneMarker && !f.Marks.Done.Known() && f.Error == "":
		f.Finish(d.At)
	}
	r.chunk = v0Chunk{}
}

func (r *ReaderV0) read(c *v0Chunk, d stream.Document) {
	f := r.f
	if c.err != "" {
		f.Error = c.err
		return
	}
	if c.model != "" {
		f.Model = c.model
	}
	if c.answer || c.reasoning {
		if d.Stream {
			f.Token(d.At, c.answer)
		} else {
			f.TokenEvents++
		}
		f.ToolCalls += c.toolCalls
	}
	if (c.finish != "" || c.dimensions > 0) && f.Finish(d.At) && c.finish != "" {
		f.DoneReason = c.finish
		f.FinishReasons = append(f.FinishReasons, c.finish)
	}
	if c.dimensions > 0 {
		f.Dimensions = c.dimensions
	}
	r.stats(c)
}

// stats takes the figures, which stand in the last chunk. generation_time is the time of decoding. Whether the time to
// the first token has the wait in it is not said, so that it is no phase.
func (r *ReaderV0) stats(c *v0Chunk) {
	f := r.f
	if c.input.Known() {
		f.InputTokens = c.input
	}
	if c.output.Known() && f.Stage == stages.LLM {
		f.OutputTokens = c.output
	}
	if c.generation.Known() {
		f.Decode = c.generation
	}
	firstToken(f, c.firstToken)
	speed(f, c.speed)
	if c.badFirst {
		f.Flag(stages.FlagBad + "time_to_first_token")
	}
	if c.badGeneration {
		f.Flag(stages.FlagBad + "generation_time")
	}
	if c.stop != "" {
		f.DoneReason = c.stop // eosFound, maxPredictedTokensReached, ...: more than OpenAI's word
	}
}

// End implements recognise.Reader.
func (r *ReaderV0) End() {}
