package demo

import (
	"context"
	"net/http"
)

// ingest stores the app's documents with their vectors, as an application does before the first question. It goes past
// the tracing, and leaves no model in memory.
func (a *app) ingest(ctx context.Context) error {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	texts := make([]string, len(a.documents))
	for i, d := range a.documents {
		texts[i] = d.text
	}
	vectors, err := a.embed(ctx, client, texts)
	if err != nil {
		return err
	}
	var out struct{}
	url := a.store + "/collections/" + collection
	in := map[string]any{"vectors": map[string]any{"size": len(vectors[0]), "distance": "Cosine"}}
	if err := call(ctx, client, http.MethodPut, url, in, &out); err != nil {
		return err
	}
	points := make([]map[string]any, len(vectors))
	for i, v := range vectors {
		points[i] = map[string]any{"id": i, "vector": v}
	}
	if err := call(ctx, client, http.MethodPut, url+"/points?wait=true", map[string]any{"points": points}, &out); err != nil {
		return err
	}
	return a.models.unload(ctx, client, a.ollama)
}
