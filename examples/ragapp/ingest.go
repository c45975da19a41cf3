package main

import (
	"context"
	"fmt"
)

// embedBatch is how many passages one call embeds.
const embedBatch = 8

// ingest embeds every document and stores it. Doing it again changes nothing.
func (a *app) ingest(ctx context.Context) (int, error) {
	all, err := passages(documents)
	if err != nil {
		return 0, err
	}
	if err := a.weaviate.ensureClass(ctx); err != nil {
		return 0, err
	}
	for first := 0; first < len(all); first += embedBatch {
		batch := all[first:min(first+embedBatch, len(all))]
		texts := make([]string, len(batch))
		for i, p := range batch {
			texts[i] = p.title + "\n" + p.text
		}
		vectors, err := a.ollama.embed(ctx, texts)
		if err != nil {
			return 0, err
		}
		if err := a.weaviate.add(ctx, batch, vectors); err != nil {
			return 0, fmt.Errorf("storing passages: %w", err)
		}
	}
	return len(all), nil
}
