package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// A weaviate is the vector store: one class of passages.
type weaviate struct {
	service
	class string
}

// className is the class for vectors of one embedding model, since vectors of different models cannot be compared.
// Weaviate wants a capital letter first and then letters, digits and underscores.
func className(embedModel string) string {
	return "Passages_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, embedModel)
}

// ensureClass creates the class unless it is there.
func (w *weaviate) ensureClass(ctx context.Context) error {
	var class struct{}
	err := w.call(ctx, "/v1/schema/"+w.class, nil, &class)
	var status *statusError
	if !errors.As(err, &status) || status.status != http.StatusNotFound {
		return err
	}
	text := []string{"text"}
	return w.call(ctx, "/v1/schema", map[string]any{
		"class":      w.class,
		"vectorizer": "none",
		"properties": []map[string]any{
			{"name": "title", "dataType": text},
			{"name": "text", "dataType": text},
		},
	}, &class)
}

// add stores passages with their vectors; a passage that is there already is replaced.
func (w *weaviate) add(ctx context.Context, passages []passage, vectors [][]float32) error {
	objects := make([]map[string]any, len(passages))
	for i, p := range passages {
		objects[i] = map[string]any{
			"class":      w.class,
			"id":         p.id(),
			"properties": map[string]any{"title": p.title, "text": p.text},
			"vector":     vectors[i],
		}
	}
	var out []struct {
		Result struct {
			Errors struct {
				Error []graphQLError `json:"error"`
			} `json:"errors"`
		} `json:"result"`
	}
	if err := w.call(ctx, "/v1/batch/objects", map[string]any{"objects": objects}, &out); err != nil {
		return err
	}
	for i, o := range out {
		if errs := o.Result.Errors.Error; len(errs) > 0 {
			return fmt.Errorf("weaviate at %s refused passage %d: %s", w.url, i+1, errs[0].Message)
		}
	}
	return nil
}

// search finds the passages nearest to a vector, nearest first.
func (w *weaviate) search(ctx context.Context, vector []float32, limit int) ([]passage, error) {
	v, err := json.Marshal(vector)
	if err != nil {
		return nil, fmt.Errorf("the question's vector: %w", err)
	}
	query := fmt.Sprintf("{Get{%s(nearVector:{vector:%s} limit:%d){title text _additional{distance}}}}", w.class, v, limit)
	var out struct {
		Data struct {
			Get map[string][]struct {
				Title string `json:"title"`
				Text  string `json:"text"`
			}
		} `json:"data"`
		Errors []graphQLError `json:"errors"`
	}
	if err := w.call(ctx, "/v1/graphql", map[string]any{"query": query}, &out); err != nil {
		return nil, err
	}
	if len(out.Errors) > 0 {
		return nil, fmt.Errorf("weaviate at %s: %s", w.url, out.Errors[0].Message)
	}
	var found []passage
	for _, hit := range out.Data.Get[w.class] {
		found = append(found, passage{title: hit.Title, text: hit.Text})
	}
	return found, nil
}

// A graphQLError is how Weaviate reports what failed within an answer of status 200.
type graphQLError struct {
	Message string `json:"message"`
}
