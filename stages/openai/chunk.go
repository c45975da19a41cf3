package openai

import "github.com/ragtrace/ragtrace/stages/stream"

// A chunk is what one event of a stream, or the body of an answer that was not streamed, says.
type chunk struct {
	object, kind string
	ollama       bool // by its fingerprint

	choices           int
	index             int
	seen, finished    uint64
	answer, reasoning bool // text of that sort
	toolCalls         int  // begun in this chunk
	finishReason      string
	stopped           bool // llama-server's own /completion
	stopType          string
	vectors           bool
	dimensions        int
	failed            bool
	err               string
	message           string
	delta             bool
	responseStatus    string
	responseReason    string
	outputItems       bool
	usage             usage
	server            serverFigures
}

func (c *chunk) value(v stream.Value) {
	switch v.Path {
	case choices:
		c.choices = int(v.Len)
	case choiceIndex:
		n, _ := v.Int()
		c.index = int(n) & 63
		c.seen |= 1 << c.index
	case finishReason:
		if c.finishReason = v.String(); c.finishReason != "" {
			c.finished |= 1 << c.index
			c.seen |= 1 << c.index
		}
	case choiceText, deltaContent, deltaRefusal, deltaToolArguments, deltaFunctionArguments, messageContent,
		messageRefusal, nativeContent, outputText:
		c.answer = c.answer || !v.Empty()
	case deltaToolName:
		if !v.Empty() {
			c.answer = true
			c.toolCalls++
		}
	case messageToolCalls:
		c.toolCalls += int(v.Len)
		c.answer = c.answer || v.Len > 0
	case deltaReasoning, deltaReasoningContent, messageReasoning, messageReasoningContent:
		c.reasoning = c.reasoning || !v.Empty()
	case object:
		c.object = word(v, objects)
	case fingerprint:
		c.ollama = string(v.Text) == "fp_ollama"
	case errorAny, errorMessage, message, detail, responseError:
		c.failureValue(v)
	case nativeStop:
		c.stopped = v.True()
	case nativeStopType:
		c.stopType = v.String()
	case vectors, vector, nativeVector, nativeVectors, rootVector, rootVectors:
		c.vectorValue(v)
	case kind, eventDelta, responseStatus, responseReason, status, incompleteReason, outputItems, outputType:
		c.responseValue(v)
	default:
		if !c.usage.value(v) {
			c.server.value(v)
		}
	}
}

// failureValue reads errors: {"error":{"message":...}}, {"error":"..."}, {"object":"error","message":...}, {"detail":...}.
func (c *chunk) failureValue(v stream.Value) {
	switch v.Path {
	case errorAny:
		c.failed = c.failed || !v.Empty()
		if v.Kind == stream.String {
			c.err = v.String()
		}
	case errorMessage, responseError:
		c.failed, c.err = true, v.String()
	case message, detail:
		if c.message == "" {
			c.message = v.String()
		}
	}
}

// failure reports whether the chunk says that something went wrong, and the server's words for it.
func (c *chunk) failure() (string, bool) {
	failed := c.failed || c.object == "error" || c.kind == "error" || c.message != "" && c.choices == 0 && !c.vectors
	words := c.err
	if words == "" {
		words = c.message
	}
	if words == "" && failed {
		words = "error without a message"
	}
	return words, failed
}

// vectorValue counts the numbers of a vector, also of one in base64, which is four bytes each.
func (c *chunk) vectorValue(v stream.Value) {
	c.vectors = true
	n := int(v.Len)
	switch {
	case v.Path == vectors || v.Kind == stream.Number || v.Kind == stream.Null:
		return
	case v.Kind == stream.String:
		n = n / 4 * 3 / 4
	case v.Path == nativeVector || v.Path == rootVector:
		n = max(n, c.dimensions) // a list of numbers, or of lists that have been counted
	}
	c.dimensions = n
}

// objects are the words of "object" that matter.
var objects = []string{"error", "response", "chat.completion.chunk", "text_completion"}

// word returns the word of the list that v is, without keeping a copy, and "" for any other.
func word(v stream.Value, list []string) string {
	for _, w := range list {
		if string(v.Text) == w {
			return w
		}
	}
	return ""
}
