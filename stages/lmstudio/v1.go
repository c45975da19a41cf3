package lmstudio

import (
	"net/http"
	"time"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// An answer is the result in the last event, or the body itself.
const (
	v1Type = iota
	v1Content
	v1LoadTime
	v1ErrorMessage
	v1Model
	v1Output
	v1ResultModel
	v1OutputType
	v1Stats // and the same paths below result, in the same order
	v1Input
	v1OutputTokens
	v1ReasoningTokens
	v1Speed
	v1FirstToken
	v1ModelLoad
	v1ResultStats
	v1ResultInput
	v1ResultOutputTokens
	v1ResultReasoningTokens
	v1ResultSpeed
	v1ResultFirstToken
	v1ResultModelLoad
)

var v1Schema = stream.NewSchema([]string{
	v1Type:                  "type",
	v1Content:               "content#",
	v1LoadTime:              "load_time_seconds",
	v1ErrorMessage:          "error.message",
	v1Model:                 "model_instance_id",
	v1Output:                "output",
	v1ResultModel:           "result.model_instance_id",
	v1OutputType:            "output[].type",
	v1Stats:                 "stats",
	v1Input:                 "stats.input_tokens",
	v1OutputTokens:          "stats.total_output_tokens",
	v1ReasoningTokens:       "stats.reasoning_output_tokens",
	v1Speed:                 "stats.tokens_per_second",
	v1FirstToken:            "stats.time_to_first_token_seconds",
	v1ModelLoad:             "stats.model_load_time_seconds",
	v1ResultStats:           "result.stats",
	v1ResultInput:           "result.stats.input_tokens",
	v1ResultOutputTokens:    "result.stats.total_output_tokens",
	v1ResultReasoningTokens: "result.stats.reasoning_output_tokens",
	v1ResultSpeed:           "result.stats.tokens_per_second",
	v1ResultFirstToken:      "result.stats.time_to_first_token_seconds",
	v1ResultModelLoad:       "result.stats.model_load_time_seconds",
}...)

// A ReaderV1 reads one answer of the newer API.
type ReaderV1 struct {
	f     *stages.Facts
	event v1Event
	begun map[string]time.Duration // arrival of the *.start event of what is under way
}

// A v1Event is what one event of a stream, or the body of an answer that was not streamed, says.
type v1Event struct {
	kind, model, err         string
	content                  int64
	outputs, toolCalls       int
	stats                    bool
	input, output, reasoning stages.Count
	speed                    float64
	firstToken, load         stages.Timing
	badFirst, badLoad        bool
}

// NewV1 returns a ReaderV1 that fills f.
func NewV1(f *stages.Facts) *ReaderV1 { return &ReaderV1{f: f} }

// Schema implements recognise.Reader.
func (r *ReaderV1) Schema() *stream.Schema { return v1Schema }

// Head implements recognise.Reader.
func (r *ReaderV1) Head(int, http.Header) {}

// Value implements stream.Sink.
func (r *ReaderV1) Value(v stream.Value) {
	e := &r.event
	if v.Path >= v1ResultStats {
		v.Path -= v1ResultStats - v1Stats
	}
	switch v.Path {
	case v1Type:
		e.kind = v.String()
	case v1Content:
		e.content = v.Len
	case v1ErrorMessage:
		e.err = v.String()
	case v1Model, v1ResultModel:
		e.model = v.String()
	case v1Output:
		e.outputs = int(v.Len)
	case v1OutputType:
		if v.String() == "tool_call" {
			e.toolCalls++
		}
	case v1Stats:
		e.stats = v.Kind == stream.Object
	case v1Input:
		e.input.Report(v.Int())
	case v1OutputTokens:
		e.output.Report(v.Int())
	case v1ReasoningTokens:
		e.reasoning.Report(v.Int())
	case v1Speed:
		e.speed, _ = v.Float()
	case v1FirstToken:
		e.firstToken, e.badFirst = seconds(v)
	case v1ModelLoad, v1LoadTime:
		e.load, e.badLoad = seconds(v)
	}
}

// Document implements stream.Sink.
func (r *ReaderV1) Document(d stream.Document) {
	if e := &r.event; d.Outcome == stream.Complete {
		if e.model != "" {
			r.f.Model = e.model
		}
		if e.err != "" {
			r.f.Error = e.err
		}
		if d.Stream {
			r.read(e, d.At)
		} else if e.stats && e.err == "" {
			r.f.TokenEvents += e.outputs
			r.f.ToolCalls = e.toolCalls
			r.finish(e, d.At)
			r.placeLoad()
		}
	}
	r.event = v1Event{}
}

// finish takes the figures of the whole answer. The load's time is there only when this request loaded the model.
func (r *ReaderV1) finish(e *v1Event, at time.Duration) {
	f := r.f
	if !f.Finish(at) {
		return
	}
	f.InputTokens, f.OutputTokens, f.ReasoningTokens = e.input, e.output, e.reasoning
	firstToken(f, e.firstToken)
	speed(f, e.speed)
	r.load(e)
	if e.badFirst {
		f.Flag(stages.FlagBad + "time_to_first_token_seconds")
	}
}

func (r *ReaderV1) load(e *v1Event) {
	if e.load.Known() {
		r.f.Load = e.load
	}
	if e.badLoad {
		r.f.Flag(stages.FlagBad + "model_load_time_seconds")
	}
}

// placeLoad places the load of an answer that was not streamed: the first thing that the server did.
func (r *ReaderV1) placeLoad() {
	if f := r.f; f.Load.D > 0 {
		at := f.Marks.WroteHeaders.D
		f.Placed = append(f.Placed, stages.Phase{
			Name: string(stages.LLMLoad), Stage: stages.LLMLoad, Start: at, End: at + f.Load.D, Source: stages.Reported,
		})
	}
}

// End implements recognise.Reader.
func (r *ReaderV1) End() {}
