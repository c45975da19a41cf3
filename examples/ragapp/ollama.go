package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// An ollama is the model server.
type ollama struct {
	service
	chatModel, embedModel string
}

// A message is one turn of a chat, as /api/chat takes it.
type message struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
}

// embed turns texts into vectors, in their order.
func (o *ollama) embed(ctx context.Context, texts []string) ([][]float32, error) {
	in := map[string]any{"model": o.embedModel, "input": texts}
	var out struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	if err := o.call(ctx, "/api/embed", in, &out); err != nil {
		return nil, o.explain(err, o.embedModel)
	}
	if len(out.Embeddings) != len(texts) {
		return nil, fmt.Errorf("ollama at %s gave %d vectors for %d texts", o.url, len(out.Embeddings), len(texts))
	}
	return out.Embeddings, nil
}

// chat asks for the next message and hands over each piece of it as it comes.
func (o *ollama) chat(ctx context.Context, messages []message, piece func(string) error) error {
	in := map[string]any{"model": o.chatModel, "messages": messages, "stream": true}
	resp, err := o.send(ctx, "/api/chat", in)
	if err != nil {
		return o.explain(err, o.chatModel)
	}
	defer resp.Body.Close()
	lines := json.NewDecoder(resp.Body)
	for {
		var line struct {
			Message message `json:"message"`
			Done    bool    `json:"done"`
			Error   string  `json:"error"`
		}
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return fmt.Errorf("ollama at %s ended its answer before it was done", o.url)
		} else if err != nil {
			return fmt.Errorf("ollama at %s broke off its answer: %w", o.url, err)
		}
		if line.Error != "" {
			return fmt.Errorf("ollama at %s: %s", o.url, line.Error)
		}
		if line.Message.Content != "" {
			if err := piece(line.Message.Content); err != nil {
				return err
			}
		}
		if line.Done {
			_, err := io.Copy(io.Discard, resp.Body)
			return err
		}
	}
}

// explain says what to do about a model that Ollama does not have.
func (o *ollama) explain(err error, model string) error {
	var status *statusError
	if errors.As(err, &status) && status.status == http.StatusNotFound {
		return fmt.Errorf("model %s is missing: get it with ollama pull %s (%w)", model, model, err)
	}
	return err
}
