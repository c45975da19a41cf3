package fakeserver

import (
	"net/http"
	"strings"
	"time"
)

// native is what the shapes of /api/chat and /api/generate have in common.
type native struct{}

func (native) streamType() string { return "application/x-ndjson" }
func (native) bodyType() string   { return jsonType }

type nativeError struct {
	Error string `json:"error"`
}

func (native) failure(message string) []byte     { return encode(nativeError{message}) }
func (native) lineFailure(message string) []byte { return append(encode(nativeError{message}), '\n') }

type chatShape struct{ native }

type chatLine struct {
	Model     string    `json:"model"`
	CreatedAt time.Time `json:"created_at"`
	Message   struct {
		Role     string `json:"role"`
		Content  string `json:"content"`
		Thinking string `json:"thinking,omitempty"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason,omitempty"`
	metrics
}

func (chatShape) body(model string, p piece) []byte {
	l := chatLine{Model: model, CreatedAt: p.created.UTC(), Done: p.done, DoneReason: p.reason, metrics: p.metrics}
	l.Message.Role, l.Message.Content, l.Message.Thinking = "assistant", p.text, p.thinking
	return encode(l)
}

func (s chatShape) line(model string, p piece) []byte { return append(s.body(model, p), '\n') }

type generateShape struct{ native }

type generateLine struct {
	Model      string    `json:"model"`
	CreatedAt  time.Time `json:"created_at"`
	Response   string    `json:"response"`
	Thinking   string    `json:"thinking,omitempty"`
	Done       bool      `json:"done"`
	DoneReason string    `json:"done_reason,omitempty"`
	Context    []int     `json:"context,omitempty"`
	metrics
}

func (generateShape) body(model string, p piece) []byte {
	return encode(generateLine{
		Model: model, CreatedAt: p.created.UTC(), Response: p.text, Thinking: p.thinking,
		Done: p.done, DoneReason: p.reason, Context: p.context, metrics: p.metrics,
	})
}

func (s generateShape) line(model string, p piece) []byte { return append(s.body(model, p), '\n') }

// rawShape is generate without a template: such an answer has no context.
type rawShape struct{ generateShape }

func (s rawShape) body(model string, p piece) []byte {
	p.context = nil
	return s.generateShape.body(model, p)
}

func (s rawShape) line(model string, p piece) []byte { return append(s.body(model, p), '\n') }

func (x *exchange) chat() {
	var req chatRequest
	if err := decode(x.body, &req); err != nil {
		x.fail(native{}, http.StatusBadRequest, err.Error())
		return
	}
	if req.Model == "" {
		x.fail(native{}, http.StatusBadRequest, "model is required")
		return
	}
	var texts []string
	for _, m := range req.Messages {
		texts = append(texts, m.Content)
	}
	x.answer(question{
		shape: chatShape{}, model: req.Model, prompt: strings.Join(texts, "\n"), empty: len(texts) == 0,
		stream: req.Stream == nil || *req.Stream, think: req.Think, keepAlive: req.KeepAlive, options: req.Options,
	}, "chat")
}

func (x *exchange) generate() {
	var req generateRequest
	if err := decode(x.body, &req); err != nil {
		x.fail(native{}, http.StatusBadRequest, err.Error())
		return
	}
	q := question{
		shape: generateShape{}, model: req.Model, prompt: req.Prompt, empty: req.Prompt == "",
		stream: req.Stream == nil || *req.Stream, think: req.Think, keepAlive: req.KeepAlive, options: req.Options,
		context: req.Context,
	}
	if req.System != "" {
		q.prompt = req.System + "\n" + q.prompt
	}
	if req.Raw {
		q.shape = rawShape{}
	}
	x.answer(q, "generate")
}
