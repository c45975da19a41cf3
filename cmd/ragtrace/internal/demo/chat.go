package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	keepAlive = 3 * time.Second // for which the chat model stays in memory after an answer
	maxTokens = 60              // of an answer
)

// chat hands over the answer piece by piece.
func (a *app) chat(ctx context.Context, messages []message, piece func(string) error) error {
	in := map[string]any{
		"model": a.models.chat, "messages": messages, "stream": true, "keep_alive": keepAlive.String(),
		"options": map[string]any{"num_predict": maxTokens},
	}
	resp, err := send(ctx, a.client, http.MethodPost, a.ollama+"/api/chat", in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for lines := json.NewDecoder(resp.Body); ; {
		var line struct {
			Message message `json:"message"`
			Done    bool    `json:"done"`
			Error   string  `json:"error"`
		}
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return fmt.Errorf("%s ended its answer before it was done", a.ollama)
		} else if err != nil {
			return fmt.Errorf("%s broke off its answer: %w", a.ollama, err)
		}
		if line.Error != "" {
			return fmt.Errorf("%s: %s", a.ollama, line.Error)
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
