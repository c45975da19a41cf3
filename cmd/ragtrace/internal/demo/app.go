package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer"
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
