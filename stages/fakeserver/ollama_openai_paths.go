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
)

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
