package lmstudio

import (
	"time"

	"github.com/ragtrace/ragtrace/stages"
)

// maxRounds bounds the phases of an answer that calls tools over and over.
const maxRounds = 64

// read takes one event of a stream. The moments at which the *.start and *.end events arrive are those of the phases.
func (r *ReaderV1) read(e *v1Event, at time.Duration) {
	f := r.f
	switch e.kind {
	case "model_load.start", "prompt_processing.start":
		r.decoded()
		r.begin(e.kind, at)
	case "model_load.end":
		r.load(e)
		r.phase(stages.LLMLoad, "model_load.start", at)
	case "prompt_processing.end":
		r.phase(stages.LLMPrefill, "prompt_processing.start", at)
		r.begin(decoding, at)
	case "reasoning.delta", "message.delta":
		if e.content > 0 {
			f.Token(at, e.kind == "message.delta")
		}
	case "tool_call.start":
		f.ToolCalls++
		f.Token(at, true)
	case "tool_call.arguments":
		f.Token(at, true)
	case "chat.end":
		r.decoded()
		r.finish(e, at)
	}
}

// decoding stands for the start of decoding, which has no event of its own: the prompt's end.
const decoding = "decoding"

// decoded ends the decoding under way, if any, with its last token. What came after it was a tool at work.
func (r *ReaderV1) decoded() {
	if last := r.f.Marks.LastToken; last.Known() {
		r.phase(stages.LLMDecode, decoding, last.D)
	}
}

func (r *ReaderV1) begin(what string, at time.Duration) {
	if r.begun == nil {
		r.begun = make(map[string]time.Duration)
	}
	r.begun[what] = at
}

// phase places what began with the event start and ends now.
func (r *ReaderV1) phase(stage stages.Stage, start string, at time.Duration) {
	begun, ok := r.begun[start]
	delete(r.begun, start)
	if f := r.f; ok && at > begun && len(f.Placed) < 3*maxRounds {
		f.Placed = append(f.Placed, stages.Phase{
			Name: string(stage), Stage: stage, Start: begun, End: at, Source: stages.Measured,
		})
	}
}
