package fakeserver

import (
	"fmt"
	"time"
)

// openAI is what the shapes of /v1 have in common.
type openAI struct {
	id    string
	usage bool // stream_options.include_usage
}

func (openAI) streamType() string { return "text/event-stream" }
func (openAI) bodyType() string   { return "application/json" }

type v1Error struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   any     `json:"param"`
	Code    *string `json:"code"`
}

func v1Failure(kind, message string) []byte {
	return encode(struct {
		Error v1Error `json:"error"`
	}{v1Error{Message: message, Type: kind}})
}

// failure has the same type whatever the status: an error on the way from the native handler has lost it.
func (openAI) failure(message string) []byte { return append(v1Failure("api_error", message), '\n') }

type v1Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

func usageOf(m metrics) v1Usage {
	return v1Usage{m.PromptEvalCount, m.EvalCount, m.PromptEvalCount + m.EvalCount}
}

func event(v any) []byte { return fmt.Appendf(nil, "data: %s\n\n", encode(v)) }

const eventDone = "data: [DONE]\n\n"

func finish(p piece) *string {
	if p.reason == "" {
		return nil
	}
	return &p.reason
}

type v1ChatShape struct{ openAI }

type v1Message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	Reasoning string `json:"reasoning,omitempty"`
}

type v1ChunkChoice struct {
	Index        int       `json:"index"`
	Delta        v1Message `json:"delta"`
	FinishReason *string   `json:"finish_reason"`
}

type v1Chunk struct {
	ID                string          `json:"id"`
	Object            string          `json:"object"`
	Created           int64           `json:"created"`
	Model             string          `json:"model"`
	SystemFingerprint string          `json:"system_fingerprint"`
	Choices           []v1ChunkChoice `json:"choices"`
	Usage             *v1Usage        `json:"usage,omitempty"`
}

func (s v1ChatShape) line(model string, p piece) []byte {
	c := v1Chunk{
		ID: s.id, Object: "chat.completion.chunk", Created: time.Now().Unix(), Model: model, SystemFingerprint: "fp_ollama",
		Choices: []v1ChunkChoice{{Delta: v1Message{"assistant", p.text, p.thinking}, FinishReason: finish(p)}},
	}
	out := event(c)
	if !p.done {
		return out
	}
	if s.usage {
		u := usageOf(p.metrics)
		c.Usage, c.Choices = &u, []v1ChunkChoice{}
		out = append(out, event(c)...)
	}
	return append(out, eventDone...)
}

// lineFailure is an empty event: on this path Ollama loses an error that comes midway, and the stream ends after it.
func (s v1ChatShape) lineFailure(string) []byte { return s.line("", piece{}) }

type v1Choice struct {
	Index        int       `json:"index"`
	Message      v1Message `json:"message"`
	FinishReason *string   `json:"finish_reason"`
}

func (s v1ChatShape) body(model string, p piece) []byte {
	return append(encode(struct {
		ID                string     `json:"id"`
		Object            string     `json:"object"`
		Created           int64      `json:"created"`
		Model             string     `json:"model"`
		SystemFingerprint string     `json:"system_fingerprint"`
		Choices           []v1Choice `json:"choices"`
		Usage             v1Usage    `json:"usage"`
	}{
		s.id, "chat.completion", p.created.Unix(), model, "fp_ollama",
		[]v1Choice{{Message: v1Message{"assistant", p.text, p.thinking}, FinishReason: finish(p)}}, usageOf(p.metrics),
	}), '\n')
}

type v1CompletionShape struct{ openAI }

type v1TextChoice struct {
	Text         string  `json:"text"`
	Index        int     `json:"index"`
	FinishReason *string `json:"finish_reason"`
}

type v1TextChunk struct {
	ID                string         `json:"id"`
	Object            string         `json:"object"`
	Created           int64          `json:"created"`
	Choices           []v1TextChoice `json:"choices"`
	Model             string         `json:"model"`
	SystemFingerprint string         `json:"system_fingerprint"`
	Usage             *v1Usage       `json:"usage,omitempty"`
}

func (s v1CompletionShape) line(model string, p piece) []byte {
	c := v1TextChunk{
		ID: s.id, Object: "text_completion", Created: time.Now().Unix(), Model: model, SystemFingerprint: "fp_ollama",
		Choices: []v1TextChoice{{Text: p.text, FinishReason: finish(p)}},
	}
	if s.usage {
		c.Usage = &v1Usage{} // every event has one; only the last means something
	}
	out := event(c)
	if !p.done {
		return out
	}
	if s.usage {
		u := usageOf(p.metrics)
		c.Usage, c.Choices = &u, []v1TextChoice{}
		out = append(out, event(c)...)
	}
	return append(out, eventDone...)
}

func (s v1CompletionShape) lineFailure(string) []byte { return s.line("", piece{}) }

func (s v1CompletionShape) body(model string, p piece) []byte {
	return append(encode(struct {
		ID                string         `json:"id"`
		Object            string         `json:"object"`
		Created           int64          `json:"created"`
		Model             string         `json:"model"`
		SystemFingerprint string         `json:"system_fingerprint"`
		Choices           []v1TextChoice `json:"choices"`
		Usage             v1Usage        `json:"usage"`
	}{
		s.id, "text_completion", p.created.Unix(), model, "fp_ollama",
		[]v1TextChoice{{Text: p.text, FinishReason: finish(p)}}, usageOf(p.metrics),
	}), '\n')
}
