package fakeserver

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
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

// v1Fields are the fields that the requests of /v1 share.
type v1Fields struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens *int `json:"max_tokens"`
	Stop      any  `json:"stop"`
}

// question has what is the same for chats and completions. Neither path has a keep_alive or a num_ctx.
func (f v1Fields) question(s shape) question {
	options := map[string]any{}
	if f.MaxTokens != nil {
		options["num_predict"] = float64(*f.MaxTokens)
	}
	switch stop := f.Stop.(type) {
	case string:
		options["stop"] = []any{stop}
	case []any:
		options["stop"] = stop
	}
	return question{shape: s, model: f.Model, stream: f.Stream, options: options}
}

// v1Reject answers what the request itself is wrong about.
func (x *exchange) v1Reject(message string) {
	x.json(http.StatusBadRequest, jsonType, v1Failure("invalid_request_error", message))
}

// v1Decode reads the request, or says what is wrong with it.
func (x *exchange) v1Decode(v any) bool {
	if len(x.body) == 0 {
		x.v1Reject("EOF")
		return false
	}
	if err := decode(x.body, v); err != nil {
		x.v1Reject(err.Error())
		return false
	}
	return true
}

type chatCompletionRequest struct {
	v1Fields
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

func (x *exchange) v1Chat() {
	var req chatCompletionRequest
	if !x.v1Decode(&req) {
		return
	}
	if len(req.Messages) == 0 {
		x.v1Reject("[] is too short - 'messages'")
		return
	}
	var texts []string
	for _, m := range req.Messages {
		var text string
		var parts []struct {
			Text string `json:"text"`
		}
		switch {
		case json.Unmarshal(m.Content, &text) == nil:
			texts = append(texts, text)
		case json.Unmarshal(m.Content, &parts) == nil:
			for _, p := range parts {
				texts = append(texts, p.Text)
			}
		default:
			x.v1Reject("invalid message format")
			return
		}
	}
	q := req.question(v1ChatShape{openAI{fmt.Sprintf("chatcmpl-%d", rand.IntN(999)), req.StreamOptions.IncludeUsage}})
	q.prompt = strings.Join(texts, "\n")
	x.answer(q, "chat")
}

type completionRequest struct {
	v1Fields
	Prompt string `json:"prompt"`
}

func (x *exchange) v1Completions() {
	var req completionRequest
	if !x.v1Decode(&req) {
		return
	}
	q := req.question(v1CompletionShape{openAI{fmt.Sprintf("cmpl-%d", rand.IntN(999)), req.StreamOptions.IncludeUsage}})
	q.prompt, q.empty = req.Prompt, req.Prompt == ""
	x.answer(q, "generate")
}

type v1Embedding struct {
	Object    string `json:"object"`
	Embedding any    `json:"embedding"`
	Index     int    `json:"index"`
}

func (x *exchange) v1Embeddings() {
	var req struct {
		Input          any    `json:"input"`
		Model          string `json:"model"`
		Dimensions     int    `json:"dimensions"`
		EncodingFormat string `json:"encoding_format"`
	}
	if !x.v1Decode(&req) {
		return
	}
	format := strings.ToLower(cmp.Or(req.EncodingFormat, "float"))
	if format != "float" && format != "base64" {
		x.v1Reject(fmt.Sprintf("Invalid value for 'encoding_format' = %s. Supported values: ['float', 'base64'].", req.EncodingFormat))
		return
	}
	if list, ok := req.Input.([]any); ok && len(list) == 0 || req.Input == nil {
		x.v1Reject("invalid input")
		return
	}
	texts, ok := inputs(req.Input)
	if !ok {
		x.fail(openAI{}, http.StatusBadRequest, "invalid input type")
		return
	}
	if req.Input == "" {
		texts = []string{""}
	}
	e, ok := x.embedding(openAI{}, embedRequest{common: common{Model: req.Model}}, texts)
	if !ok {
		return
	}
	e.shorten(req.Dimensions)
	var data []v1Embedding
	for i, v := range e.vectors {
		d := v1Embedding{"embedding", v, i}
		if format == "base64" {
			b, _ := binary.Append(nil, binary.LittleEndian, v) // a slice of float32 always has a size
			d.Embedding = base64.StdEncoding.EncodeToString(b)
		}
		data = append(data, d)
	}
	x.json(http.StatusOK, "application/json", append(encode(struct {
		Object string        `json:"object"`
		Data   []v1Embedding `json:"data"`
		Model  string        `json:"model"`
		Usage  any           `json:"usage"`
	}{"list", data, req.Model, struct {
		PromptTokens int `json:"prompt_tokens"`
		TotalTokens  int `json:"total_tokens"`
	}{e.tokens, e.tokens}}), '\n'))
}

func (x *exchange) v1Models() {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	var data []model
	for _, m := range x.models {
		data = append(data, model{m.Name, "model", x.started.Unix(), "library"})
	}
	x.json(http.StatusOK, "application/json", append(encode(struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", data}), '\n'))
}
