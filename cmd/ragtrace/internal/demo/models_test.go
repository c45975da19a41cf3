package demo

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
)

func TestChooseModels(t *testing.T) {
	chat, embed := fakeserver.Model{Name: "llama3.2:1b"}, fakeserver.Model{Name: "bge-m3", Kind: fakeserver.Embed}
	tests := []struct {
		name   string
		models []fakeserver.Model
		want   models
	}{
		{"by what they can do", []fakeserver.Model{embed, chat}, models{chat: "llama3.2:1b", embed: "bge-m3:latest"}},
		{"the first of several", []fakeserver.Model{chat, {Name: "other"}, embed, {Name: "e2", Kind: fakeserver.Embed}},
			models{chat: "llama3.2:1b", embed: "bge-m3:latest"}},
		{"one for both", []fakeserver.Model{chat}, models{chat: "llama3.2:1b", embed: "llama3.2:1b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{Models: tt.models}))
			defer server.Close()
			got, err := chooseModels(t.Context(), server.Client(), server.URL)
			if err != nil || got != tt.want {
				t.Errorf("got %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestChooseModelsOfAnOllamaThatSaysNoCapabilities(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"models":[{"name":"nomic-embed-text:latest"},{"name":"broken"},{"name":"mistral:7b"}]}`))
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var body strings.Builder
		_ = r.Write(&body)
		if strings.Contains(body.String(), "broken") {
			http.Error(w, `{"error":"unsupported"}`, http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(`{"details":{}}`))
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	got, err := chooseModels(t.Context(), server.Client(), server.URL)
	if want := (models{chat: "mistral:7b", embed: "nomic-embed-text:latest"}); err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestChooseModelsSaysWhatIsMissing(t *testing.T) {
	only := []fakeserver.Model{{Name: "bge-m3", Kind: fakeserver.Embed}}
	server := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{Models: only}))
	_, err := chooseModels(t.Context(), server.Client(), server.URL)
	if err == nil || !strings.Contains(err.Error(), "no chat model: get one with ollama pull") {
		t.Errorf("no chat model: %v", err)
	}
	server.Close()
	_, err = chooseModels(t.Context(), http.DefaultClient, server.URL)
	if err == nil || !strings.Contains(err.Error(), "is Ollama running there?") {
		t.Errorf("nobody listens: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = chooseModels(ctx, http.DefaultClient, server.URL); err == nil {
		t.Error("no error from a cancelled context")
	}
}
