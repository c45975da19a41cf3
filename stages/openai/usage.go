package openai

import (
	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// usage are the token counts of one chunk.
type usage struct {
	input, output, cached, reasoning stages.Count
}

func (u *usage) value(v stream.Value) bool {
	switch v.Path {
	case promptTokens, inputTokens, responseInput:
		u.input.Report(v.Int())
	case completionTokens, outputTokens, responseOutput:
		u.output.Report(v.Int())
	case cachedTokens, cachedInputTokens, responseCached:
		u.cached.Report(v.Int())
	case reasoningTokens, reasoningOutputTokens, responseReasoning:
		u.reasoning.Report(v.Int())
	default:
		return false
	}
	return true
}

// into takes the counts over, unless they are all zero: Ollama sends such usage with every chunk but the last, and others
// a running one, so that the last one that says something is right.
func (u *usage) into(f *stages.Facts) {
	if u.input.N == 0 && u.output.N == 0 {
		return
	}
	f.InputTokens, f.OutputTokens = u.input, u.output
	f.CachedTokens, f.ReasoningTokens = u.cached, u.reasoning
}
