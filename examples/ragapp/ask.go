package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer"
)

const (
	maxQuestion = 64 << 10 // bytes of a request
	searched    = 8        // passages that the search finds
	kept        = 3        // passages that the reranker keeps
)

// ask answers one question.
func (a *app) ask(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Question string `json:"question"`
		Session  string `json:"session"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxQuestion)).Decode(&in); err != nil {
		http.Error(w, fmt.Sprintf("the body is not JSON like {\"question\":\"...\"}: %v", err), http.StatusBadRequest)
		return
	}
	if strings.TrimSpace(in.Question) == "" {
		http.Error(w, `"question" is empty`, http.StatusBadRequest)
		return
	}
	if in.Session != "" {
		tracer.QuestionFrom(r.Context()).SetSession(in.Session, 0) // it stands in the body, which the middleware leaves alone
	}
	answer := &streamed{w: w}
	err := a.answer(r.Context(), in.Session, in.Question, answer)
	switch {
	case err == nil:
		a.history.add(in.Session, in.Question, answer.text.String())
	case r.Context().Err() != nil:
		// Nobody is there to be told.
	case answer.text.Len() == 0:
		log.Printf("ragapp: %v", err)
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		log.Printf("ragapp: %v", err)
		// Only a broken connection still tells that the text is not all of the answer.
		panic(http.ErrAbortHandler)
	}
}

// answer finds passages for a question and writes what the model says to it.
func (a *app) answer(ctx context.Context, session, question string, answer io.Writer) error {
	vectors, err := a.ollama.embed(ctx, []string{question})
	if err != nil {
		return err
	}
	found, err := a.weaviate.search(ctx, vectors[0], searched)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return errors.New("weaviate has no passages: start ragapp again, it stores them at the start")
	}

	_, reranking := tracer.Stage(ctx, stages.Rerank)
	best := rerank(question, found, kept)
	reranking.End(nil)

	_, building := tracer.Stage(ctx, stages.Prompt)
	messages := buildPrompt(question, best, a.history.get(session))
	building.End(nil)

	return a.ollama.chat(ctx, messages, func(piece string) error {
		_, err := io.WriteString(answer, piece)
		return err
	})
}

// A streamed answer passes each piece on at once and keeps the text.
type streamed struct {
	w    http.ResponseWriter
	text strings.Builder
}

func (s *streamed) Write(p []byte) (int, error) {
	if s.text.Len() == 0 {
		s.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	s.text.Write(p)
	n, err := s.w.Write(p)
	if err != nil {
		return n, err
	}
	return n, http.NewResponseController(s.w).Flush()
}
