package demo

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// models are the names of the two models that the app calls on Ollama.
type models struct {
	chat, embed string
}

func (m models) String() string {
	if m.chat == m.embed {
		return m.chat
	}
	return m.chat + ", " + m.embed
}

// chooseModels picks an embedding model and a chat model of those that the Ollama at url has. What a model can do, it says
// in /api/show, unless Ollama is too old; then the name has to tell. One model alone does both.
func chooseModels(ctx context.Context, client *http.Client, url string) (models, error) {
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := call(ctx, client, http.MethodGet, url+"/api/tags", nil, &tags); err != nil {
		return models{}, fmt.Errorf("asking Ollama for its models: %w (is Ollama running there?)", err)
	}
	var m models
	for _, t := range tags.Models {
		var show struct {
			Capabilities []string `json:"capabilities"`
		}
		in := map[string]string{"model": t.Name}
		if err := call(ctx, client, http.MethodPost, url+"/api/show", in, &show); err != nil {
			continue // a broken model is not chosen
		}
		embeds := slices.Contains(show.Capabilities, "embedding") || strings.Contains(strings.ToLower(t.Name), "embed")
		switch {
		case embeds && m.embed == "":
			m.embed = t.Name
		case !embeds && m.chat == "":
			m.chat = t.Name
		}
	}
	if m.chat == "" {
		return models{}, fmt.Errorf("the Ollama at %s has no chat model: get one with ollama pull llama3.2:1b", url)
	}
	if m.embed == "" {
		m.embed = m.chat
	}
	return m, nil
}

// unload has the Ollama at url drop both models from memory, so that the first question finds them cold.
func (m models) unload(ctx context.Context, client *http.Client, url string) error {
	for _, name := range slices.Compact([]string{m.chat, m.embed}) {
		in := map[string]any{"model": name, "keep_alive": 0}
		var out struct{}
		if err := call(ctx, client, http.MethodPost, url+"/api/generate", in, &out); err != nil {
			return fmt.Errorf("unloading %s: %w", name, err)
		}
	}
	return nil
}
