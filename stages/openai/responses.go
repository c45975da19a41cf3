package openai

import (
	"strings"

	"github.com/ragtrace/ragtrace/stages/stream"
)

// The events of the Responses API that matter. Each carries its name as "type" too.
var kinds = []string{
	"response.output_text.delta", "response.refusal.delta", "response.function_call_arguments.delta",
	"response.reasoning_text.delta", "response.reasoning_summary_text.delta",
	"response.completed", "response.incomplete", "response.failed",
	"response.created", "response.in_progress", "response.queued", "error",
}

func (c *chunk) responseValue(v stream.Value) {
	switch v.Path {
	case kind:
		c.kind = word(v, kinds)
		if c.kind == "" && strings.HasPrefix(string(v.Text), "response.") {
			c.kind = "response."
		}
	case eventDelta:
		c.delta = !v.Empty()
	case responseStatus, status:
		c.responseStatus = v.String()
	case responseReason, incompleteReason:
		c.responseReason = v.String()
	case outputItems:
		c.outputItems = true
	case outputType:
		switch string(v.Text) {
		case "function_call":
			c.toolCalls++
		case "reasoning":
			c.reasoning = true
		}
	}
}

// formed reports whether the chunk is one of these APIs' at all.
func (c *chunk) formed() bool {
	return c.choices > 0 || c.responses() || c.object == "chat.completion.chunk" || c.object == "text_completion"
}

// responses reports whether the chunk is of the Responses API.
func (c *chunk) responses() bool {
	return strings.HasPrefix(c.kind, "response.") || c.object == "response"
}

// response takes an event, or a whole body, of the Responses API.
func (r *Reader) response(c *chunk, d stream.Document) {
	f := r.f
	if !d.Stream {
		f.ToolCalls += c.toolCalls
		if c.answer || c.toolCalls > 0 || c.reasoning {
			f.TokenEvents++
		}
		r.responseDone(c, d)
		return
	}
	switch c.kind {
	case "response.output_text.delta", "response.refusal.delta", "response.function_call_arguments.delta":
		if c.delta {
			f.Token(d.At, true)
		}
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		if c.delta {
			f.Token(d.At, false)
		}
	case "response.completed", "response.incomplete", "response.failed":
		r.responseDone(c, d)
	}
}

func (r *Reader) responseDone(c *chunk, d stream.Document) {
	f := r.f
	switch c.responseStatus {
	case "failed", "cancelled":
		if f.Error == "" {
			f.Error = "response " + c.responseStatus
		}
		return
	case "queued", "in_progress":
		return // accepted to run in the background
	}
	reason := c.responseStatus
	if c.responseReason != "" {
		reason = c.responseReason
	}
	r.finish(reason, d)
}
