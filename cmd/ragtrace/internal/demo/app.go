package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer"
)

const (
	collection = "handbook"
	found      = 5 // documents that the search returns
	kept       = 3 // documents that the reranker leaves
)

// An app answers questions from the handbook, as any RAG application does: embed, search, rerank, build a prompt, stream
// the answer.
type app struct {
	client                  *http.Client // traces what goes through it
	ollama, store, reranker string       // base URLs
	models                  models
	documents               []document
}

// ServeHTTP answers the question in the request's body with the answer's text as it comes.
func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	question, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx := r.Context()
	messages, err := a.prepare(ctx, string(question))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	started := false
	err = a.chat(ctx, messages, func(piece string) error {
		started = true
		if _, err := io.WriteString(w, piece); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	})
	switch {
	case err == nil:
	case started:
		panic(http.ErrAbortHandler) // the reader must not take half an answer for a whole one
	default:
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

// prepare makes the prompt: the documents that suit the question, and the question.
func (a *app) prepare(ctx context.Context, question string) ([]message, error) {
	vectors, err := a.embed(ctx, a.client, []string{question})
	if err != nil {
		return nil, err
	}
	hits, err := a.search(ctx, vectors[0])
	if err != nil {
		return nil, err
	}
	best, err := a.rerank(ctx, question, hits)
	if err != nil {
		return nil, err
	}
	return a.prompt(ctx, question, best), nil
}

// embed turns texts into vectors, in their order.
func (a *app) embed(ctx context.Context, client *http.Client, texts []string) ([][]float32, error) {
	in := map[string]any{"model": a.models.embed, "input": texts}
	var out struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	if err := call(ctx, client, http.MethodPost, a.ollama+"/api/embed", in, &out); err != nil {
		return nil, err
	}
	if len(out.Embeddings) != len(texts) {
		return nil, fmt.Errorf("%s gave %d vectors for %d texts", a.ollama, len(out.Embeddings), len(texts))
	}
	return out.Embeddings, nil
}

// search finds the documents nearest to vector.
func (a *app) search(ctx context.Context, vector []float32) ([]document, error) {
	in := map[string]any{"query": vector, "limit": found}
	var out struct {
		Result struct {
			Points []struct {
				ID int `json:"id"`
			} `json:"points"`
		} `json:"result"`
	}
	url := a.store + "/collections/" + collection + "/points/query"
	if err := call(ctx, a.client, http.MethodPost, url, in, &out); err != nil {
		return nil, err
	}
	var hits []document
	for _, p := range out.Result.Points {
		if p.ID < 0 || p.ID >= len(a.documents) {
			return nil, fmt.Errorf("%s found document %d, which was never stored", a.store, p.ID)
		}
		hits = append(hits, a.documents[p.ID])
	}
	return hits, nil
}

// rerank keeps the hits that suit the question best.
func (a *app) rerank(ctx context.Context, question string, hits []document) ([]document, error) {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.text
	}
	in := map[string]any{"model": rerankModel, "query": question, "documents": texts, "top_n": kept}
	var out struct {
		Results []struct {
			Index int `json:"index"`
		} `json:"results"`
	}
	if err := call(ctx, a.client, http.MethodPost, a.reranker+"/v1/rerank", in, &out); err != nil {
		return nil, err
	}
	var best []document
	for _, r := range out.Results {
		if r.Index < 0 || r.Index >= len(hits) {
			return nil, fmt.Errorf("%s ranked document %d of %d", a.reranker, r.Index, len(hits))
		}
		best = append(best, hits[r.Index])
	}
	return best, nil
}

// A message is one turn of a chat.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// prompt builds what the model reads.
func (a *app) prompt(ctx context.Context, question string, best []document) []message {
	_, stage := tracer.Stage(ctx, stages.Prompt)
	defer stage.End(nil)
	var system strings.Builder
	system.WriteString("You work in a bicycle shop. Answer in a few sentences, from these pages of the handbook alone.")
	for _, d := range best {
		fmt.Fprintf(&system, "\n\n%s: %s", d.name, d.text)
	}
	return []message{{"system", system.String()}, {"user", question}}
}

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
