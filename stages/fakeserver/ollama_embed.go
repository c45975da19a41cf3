package fakeserver

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// embedded are the vectors of some texts.
type embedded struct {
	vectors     [][]float32
	total, load time.Duration
	tokens      int
}

// embedding has the model make the texts' vectors, one after the other. If it returns false, the answer has been given or
// the client has left.
func (x *exchange) embedding(d dialect, req embedRequest, texts []string) (e embedded, ok bool) {
	m := x.model(req.Model)
	if m == nil {
		x.fail(d, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
		return e, false
	}
	l, loaded, err := x.load(m, req.Options, (*time.Duration)(req.KeepAlive))
	if err != nil {
		return e, false
	}
	defer l.release()
	if len(texts) > 0 {
		if err := l.slot(x.r.Context()); err != nil {
			return e, false
		}
	}
	e.vectors = [][]float32{}
	numCtx := m.numCtx(req.Options)
	for _, text := range texts {
		tokens := promptTokens(text)
		if tokens > numCtx {
			if req.Truncate != nil && !*req.Truncate {
				x.fail(d, http.StatusBadRequest, "the input length exceeds the context length")
				return e, false
			}
			tokens = numCtx
			text = strings.Join(split(text)[:tokens-1], "")
		}
		if _, err := l.prefill(x.r.Context(), tokens); err != nil {
			return e, false
		}
		e.tokens += tokens
		e.vectors = append(e.vectors, features(text, m.Dim))
	}
	if failed, ok := x.fault.midway().(modelError); ok {
		if x.fault.Crash {
			l.crash()
		}
		x.fail(d, http.StatusInternalServerError, failed.Error())
		return e, false
	}
	e.load = loaded
	e.total = time.Since(x.start)
	return e, true
}

// inputs reads the texts of an input field.
func inputs(input any) (texts []string, ok bool) {
	switch input := input.(type) {
	case nil:
	case string:
		if input != "" {
			texts = append(texts, input)
		}
	case []any:
		for _, v := range input {
			text, ok := v.(string)
			if !ok {
				return nil, false
			}
			texts = append(texts, text)
		}
	default:
		return nil, false
	}
	return texts, true
}

// shorten cuts the vectors to that many dimensions, if it is fewer, and scales them to unit length.
func (e embedded) shorten(dimensions int) {
	for i, v := range e.vectors {
		if dimensions > 0 && dimensions < len(v) {
			v = v[:dimensions]
		}
		e.vectors[i] = unit(v)
	}
}

type embedBody struct {
	Model           string        `json:"model"`
	Embeddings      [][]float32   `json:"embeddings"`
	TotalDuration   time.Duration `json:"total_duration,omitempty"`
	LoadDuration    time.Duration `json:"load_duration,omitempty"`
	PromptEvalCount int           `json:"prompt_eval_count,omitempty"`
}

func (x *exchange) embed() {
	var req embedRequest
	if err := decode(x.body, &req); err != nil {
		x.fail(native{}, http.StatusBadRequest, err.Error())
		return
	}
	texts, ok := inputs(req.Input)
	if !ok {
		x.fail(native{}, http.StatusBadRequest, "invalid input type")
		return
	}
	e, ok := x.embedding(native{}, req, texts)
	if !ok {
		return
	}
	e.shorten(req.Dimensions)
	b := embedBody{Model: req.Model, Embeddings: e.vectors}
	if len(texts) > 0 {
		b.TotalDuration, b.LoadDuration, b.PromptEvalCount = e.total, e.load, e.tokens
	}
	x.json(http.StatusOK, jsonType, encode(b))
}

func (x *exchange) embeddings() {
	var req embeddingRequest
	if err := decode(x.body, &req); err != nil {
		x.fail(native{}, http.StatusBadRequest, err.Error())
		return
	}
	if req.Model == "" {
		x.fail(native{}, http.StatusBadRequest, "model is required")
		return
	}
	if x.model(req.Model) == nil {
		x.fail(native{}, http.StatusNotFound, fmt.Sprintf("model %q not found, try pulling it first", req.Model))
		return
	}
	texts, _ := inputs(req.Prompt)
	e, ok := x.embedding(native{}, embedRequest{common: req.common}, texts)
	if !ok {
		return
	}
	// This path gives the vector as the model made it, not scaled, and in double precision.
	vector := []float64{}
	for _, v := range e.vectors {
		for _, f := range v {
			vector = append(vector, float64(f))
		}
	}
	x.json(http.StatusOK, jsonType, encode(struct {
		Embedding []float64 `json:"embedding"`
	}{vector}))
}
