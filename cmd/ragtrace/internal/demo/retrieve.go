package demo

import (
	"context"
	"fmt"
	"net/http"
)

const (
	collection  = "handbook"
	found       = 5 // documents that the search returns
	kept        = 3 // documents that the reranker leaves
	rerankModel = "bge-reranker-v2-m3"
)

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
