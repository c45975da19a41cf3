package fakeserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

const chroma = "chroma"

func (s *VectorStore) chromaRoutes() {
	s.handle("GET /api/v2/heartbeat", func(c *call) {
		c.json(http.StatusOK, "application/json", map[string]int64{"nanosecond heartbeat": time.Now().UnixNano()})
	})
	s.handle("GET /api/v2/version", func(c *call) { c.json(http.StatusOK, "application/json", "1.0.0") })
	const base = "/api/v2/tenants/{tenant}/databases/{database}/collections"
	s.handle("POST "+base, s.chromaCreate)
	s.handle("GET "+base+"/{c}", func(c *call) {
		if col, ok := s.chromaCollection(c); ok {
			c.json(http.StatusOK, "application/json", col.meta)
		}
	})
	s.handle("DELETE "+base+"/{c}", func(c *call) {
		if col, ok := s.chromaCollection(c); ok {
			s.remove(chroma, col.name)
			c.json(http.StatusOK, "application/json", struct{}{})
		}
	})
	s.handle("GET "+base+"/{c}/count", func(c *call) {
		if col, ok := s.chromaCollection(c); ok {
			points, _ := s.size(col)
			c.json(http.StatusOK, "application/json", points)
		}
	})
	s.handle("POST "+base+"/{c}/add", func(c *call) { s.chromaWrite(c, http.StatusCreated) })
	s.handle("POST "+base+"/{c}/upsert", func(c *call) { s.chromaWrite(c, http.StatusOK) })
	s.handle("POST "+base+"/{c}/query", s.chromaQuery)
}

func (c *call) chromaFail(status int, kind, message string) {
	c.json(status, "application/json", struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}{kind, message})
}

func (c *call) chromaDecode(v any) bool {
	if err := json.Unmarshal(c.body, v); err != nil {
		c.chromaFail(http.StatusBadRequest, "InvalidArgumentError", err.Error())
		return false
	}
	return true
}

// chromaCollection finds the collection that the path names, by name or id.
func (s *VectorStore) chromaCollection(c *call) (*collection, bool) {
	key := c.r.PathValue("c")
	if col, _ := s.collection(chroma, key, nil); col != nil {
		return col, true
	}
	for _, name := range s.names(chroma) {
		if col, _ := s.collection(chroma, name, nil); col != nil && col.id == key {
			return col, true
		}
	}
	c.chromaFail(http.StatusNotFound, "NotFoundError", fmt.Sprintf("Collection [%s] does not exist", key))
	return nil, false
}

func (s *VectorStore) chromaCreate(c *call) {
	var req struct {
		Name        string         `json:"name"`
		GetOrCreate bool           `json:"get_or_create"`
		Metadata    map[string]any `json:"metadata"`
	}
	if !c.chromaDecode(&req) {
		return
	}
	if req.Name == "" {
		c.chromaFail(http.StatusBadRequest, "InvalidArgumentError", "Expected a name containing 3-512 characters")
		return
	}
	col, made := s.collection(chroma, req.Name, func() *collection {
		id := uuid(req.Name)
		return &collection{id: id, meta: encode(struct {
			ID            string         `json:"id"`
			Name          string         `json:"name"`
			Configuration map[string]any `json:"configuration_json"`
			Metadata      map[string]any `json:"metadata"`
			Dimension     *int           `json:"dimension"`
			Tenant        string         `json:"tenant"`
			Database      string         `json:"database"`
			LogPosition   int            `json:"log_position"`
			Version       int            `json:"version"`
		}{
			ID: id, Name: req.Name, Metadata: req.Metadata, Tenant: c.r.PathValue("tenant"), Database: c.r.PathValue("database"),
			Configuration: map[string]any{"hnsw": map[string]any{"space": "cosine"}},
		})}
	})
	if !made && !req.GetOrCreate {
		c.chromaFail(http.StatusConflict, "UniqueConstraintError", fmt.Sprintf("Collection [%s] already exists", req.Name))
		return
	}
	c.json(http.StatusOK, "application/json", col.meta)
}

// documentKey is where a Chroma document is kept among its metadata.
const documentKey = "chroma:document"

func (s *VectorStore) chromaWrite(c *call, status int) {
	col, ok := s.chromaCollection(c)
	if !ok {
		return
	}
	var req struct {
		IDs        []string         `json:"ids"`
		Embeddings [][]float32      `json:"embeddings"`
		Documents  []*string        `json:"documents"`
		Metadatas  []map[string]any `json:"metadatas"`
	}
	if !c.chromaDecode(&req) {
		return
	}
	n := len(req.IDs)
	if len(req.Embeddings) != n || len(req.Documents) != n && req.Documents != nil || len(req.Metadatas) != n && req.Metadatas != nil {
		c.chromaFail(http.StatusBadRequest, "InvalidArgumentError", "Unequal lengths for fields: ids, embeddings, documents, metadatas")
		return
	}
	var points []point
	for i, id := range req.IDs {
		p := point{id: id, vector: req.Embeddings[i], payload: map[string]any{}}
		if req.Metadatas != nil {
			for k, v := range req.Metadatas[i] {
				p.payload[k] = v
			}
		}
		if req.Documents != nil && req.Documents[i] != nil {
			p.payload[documentKey] = *req.Documents[i]
		}
		points = append(points, p)
	}
	if !s.write(c) {
		return
	}
	if err := s.put(col, points); err != nil {
		c.chromaWrongDim(err)
		return
	}
	c.json(status, "application/json", struct{}{})
}

func (c *call) chromaWrongDim(err *dimError) {
	c.chromaFail(http.StatusBadRequest, "InvalidArgumentError",
		fmt.Sprintf("Collection expecting embedding with dimension of %d, got %d", err.want, err.got))
}

func (s *VectorStore) chromaQuery(c *call) {
	col, ok := s.chromaCollection(c)
	if !ok {
		return
	}
	req := struct {
		QueryEmbeddings [][]float32 `json:"query_embeddings"`
		NResults        int         `json:"n_results"`
		Include         []string    `json:"include"`
	}{NResults: 10, Include: []string{"metadatas", "documents", "distances"}}
	if !c.chromaDecode(&req) {
		return
	}
	var answer struct {
		IDs        [][]string         `json:"ids"`
		Embeddings [][][]float32      `json:"embeddings"`
		Documents  [][]*string        `json:"documents"`
		URIs       [][]*string        `json:"uris"`
		Metadatas  [][]map[string]any `json:"metadatas"`
		Distances  [][]float32        `json:"distances"`
		Include    []string           `json:"include"`
	}
	answer.Include = req.Include
	for _, v := range req.QueryEmbeddings {
		hits, err := s.search(c.r.Context(), col, v, req.NResults)
		var wrong *dimError
		switch {
		case errors.As(err, &wrong):
			c.chromaWrongDim(wrong)
			return
		case err != nil:
			return
		}
		ids, embeddings, documents := []string{}, [][]float32{}, []*string{}
		metadatas, distances := []map[string]any{}, []float32{}
		for _, h := range hits {
			ids = append(ids, fmt.Sprint(h.id))
			embeddings = append(embeddings, h.vector)
			distances = append(distances, 1-h.score)
			var document *string
			if d, ok := h.payload[documentKey].(string); ok {
				document = &d
			}
			documents = append(documents, document)
			var metadata map[string]any
			for k, v := range h.payload {
				if k == documentKey {
					continue
				}
				if metadata == nil {
					metadata = map[string]any{}
				}
				metadata[k] = v
			}
			metadatas = append(metadatas, metadata)
		}
		answer.IDs = append(answer.IDs, ids)
		if slices.Contains(req.Include, "embeddings") {
			answer.Embeddings = append(answer.Embeddings, embeddings)
		}
		if slices.Contains(req.Include, "documents") {
			answer.Documents = append(answer.Documents, documents)
		}
		if slices.Contains(req.Include, "metadatas") {
			answer.Metadatas = append(answer.Metadatas, metadatas)
		}
		if slices.Contains(req.Include, "distances") {
			answer.Distances = append(answer.Distances, distances)
		}
	}
	c.json(http.StatusOK, "application/json", answer)
}

// uuid makes a steady identifier of a name.
func uuid(name string) string {
	h := digest(name)[:32]
	return h[:8] + "-" + h[8:12] + "-5" + h[13:16] + "-8" + h[17:20] + "-" + h[20:]
}
