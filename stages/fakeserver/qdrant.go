package fakeserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const qdrant = "qdrant"

func (s *VectorStore) qdrantRoutes() {
	s.handle("GET /{$}", func(c *call) {
		c.json(http.StatusOK, "application/json", struct {
			Title   string `json:"title"`
			Version string `json:"version"`
		}{"qdrant - vector search engine", "1.19.0"})
	})
	s.handle("GET /readyz", func(c *call) { c.text("all shards are ready") })
	s.handle("GET /healthz", func(c *call) { c.text("healthz check passed") })
	s.handle("GET /collections", s.qdrantList)
	s.handle("GET /collections/{c}", s.qdrantGet)
	s.handle("PUT /collections/{c}", s.qdrantCreate)
	s.handle("DELETE /collections/{c}", func(c *call) {
		c.qdrant(http.StatusOK, s.remove(qdrant, c.r.PathValue("c")))
	})
	s.handle("PUT /collections/{c}/points", s.qdrantUpsert)
	s.handle("POST /collections/{c}/points/count", func(c *call) {
		if col, ok := s.qdrantCollection(c); ok {
			points, _ := s.size(col)
			c.qdrant(http.StatusOK, map[string]int{"count": points})
		}
	})
	s.handle("POST /collections/{c}/points/query", func(c *call) {
		s.qdrantSearch(c, func(hits []qdrantHit) any { return map[string]any{"points": hits} })
	})
	s.handle("POST /collections/{c}/points/search", func(c *call) {
		s.qdrantSearch(c, func(hits []qdrantHit) any { return hits })
	})
}

// qdrant answers in Qdrant's envelope: time is in seconds, from the parsed request to the answer about to be written.
func (c *call) qdrant(status int, result any) { c.qdrantStatus(status, result, "ok") }

func (c *call) qdrantStatus(httpStatus int, result, status any) {
	c.json(httpStatus, "application/json", struct {
		Result any     `json:"result"`
		Status any     `json:"status"`
		Time   float64 `json:"time"`
	}{result, status, time.Since(c.start).Seconds()})
}

func (c *call) qdrantFail(status int, message string) {
	c.json(status, "application/json", struct {
		Status any     `json:"status"`
		Time   float64 `json:"time"`
	}{map[string]string{"error": message}, time.Since(c.start).Seconds()})
}

func (c *call) qdrantDecode(v any) bool {
	if err := json.Unmarshal(c.body, v); err != nil {
		c.qdrantFail(http.StatusBadRequest, "Format error in JSON body: "+err.Error())
		return false
	}
	return true
}

func (s *VectorStore) qdrantCollection(c *call) (*collection, bool) {
	name := c.r.PathValue("c")
	col, _ := s.collection(qdrant, name, nil)
	if col == nil {
		c.qdrantFail(http.StatusNotFound, fmt.Sprintf("Not found: Collection `%s` doesn't exist!", name))
	}
	return col, col != nil
}

func (s *VectorStore) qdrantList(c *call) {
	list := []map[string]string{}
	for _, name := range s.names(qdrant) {
		list = append(list, map[string]string{"name": name})
	}
	c.qdrant(http.StatusOK, map[string]any{"collections": list})
}

func (s *VectorStore) qdrantGet(c *call) {
	col, ok := s.qdrantCollection(c)
	if !ok {
		return
	}
	points, dim := s.size(col)
	c.qdrant(http.StatusOK, map[string]any{
		"status": "green", "optimizer_status": "ok", "points_count": points, "indexed_vectors_count": 0, "segments_count": 1,
		"config": map[string]any{"params": map[string]any{"vectors": map[string]any{"size": dim, "distance": "Cosine"}}},
	})
}

func (s *VectorStore) qdrantCreate(c *call) {
	var req struct {
		Vectors struct {
			Size int `json:"size"`
		} `json:"vectors"`
	}
	if !c.qdrantDecode(&req) {
		return
	}
	if req.Vectors.Size < 1 {
		c.qdrantFail(http.StatusUnprocessableEntity, "Validation error in JSON body: [vectors.size: value 0 invalid, must be 1 or larger]")
		return
	}
	name := c.r.PathValue("c")
	if _, made := s.collection(qdrant, name, func() *collection { return &collection{dim: req.Vectors.Size} }); !made {
		c.qdrantFail(http.StatusConflict, fmt.Sprintf("Wrong input: Collection `%s` already exists!", name))
		return
	}
	c.qdrant(http.StatusOK, true)
}

func (s *VectorStore) qdrantUpsert(c *call) {
	col, ok := s.qdrantCollection(c)
	if !ok {
		return
	}
	var req struct {
		Points []struct {
			ID      json.RawMessage `json:"id"`
			Vector  []float32       `json:"vector"`
			Payload map[string]any  `json:"payload"`
		} `json:"points"`
	}
	if !c.qdrantDecode(&req) {
		return
	}
	var points []point
	for _, p := range req.Points {
		points = append(points, point{id: p.ID, vector: p.Vector, payload: p.Payload})
	}
	// Without wait the points are accepted, not done, and the answer takes no time.
	done := c.r.URL.Query().Get("wait") == "true"
	if done && !s.write(c) {
		return
	}
	if err := s.put(col, points); err != nil {
		c.qdrantWrongDim(err)
		return
	}
	if !done {
		c.qdrantStatus(http.StatusAccepted, nil, "accepted")
		return
	}
	c.qdrant(http.StatusOK, struct {
		OperationID int64  `json:"operation_id"`
		Status      string `json:"status"`
	}{s.n.Load(), "completed"})
}

func (c *call) qdrantWrongDim(err *dimError) {
	c.qdrantFail(http.StatusBadRequest,
		fmt.Sprintf("Wrong input: Vector dimension error: expected dim: %d, got %d", err.want, err.got))
}

type qdrantHit struct {
	ID      any            `json:"id"`
	Version int            `json:"version"`
	Score   float32        `json:"score"`
	Payload map[string]any `json:"payload,omitempty"`
	Vector  []float32      `json:"vector,omitempty"`
}

func (s *VectorStore) qdrantSearch(c *call, result func([]qdrantHit) any) {
	col, ok := s.qdrantCollection(c)
	if !ok {
		return
	}
	var req struct {
		Query       json.RawMessage `json:"query"`
		Vector      []float32       `json:"vector"`
		Limit       *int            `json:"limit"`
		WithPayload any             `json:"with_payload"`
		WithVector  bool            `json:"with_vector"`
		Threshold   *float32        `json:"score_threshold"`
	}
	if !c.qdrantDecode(&req) {
		return
	}
	if req.Vector == nil && req.Query != nil {
		var nearest struct {
			Nearest []float32 `json:"nearest"`
		}
		if json.Unmarshal(req.Query, &req.Vector) != nil && json.Unmarshal(req.Query, &nearest) == nil {
			req.Vector = nearest.Nearest
		}
	}
	limit := 10
	if req.Limit != nil {
		limit = *req.Limit
	}
	found, err := s.search(c.r.Context(), col, req.Vector, limit)
	var wrong *dimError
	switch {
	case errors.As(err, &wrong):
		c.qdrantWrongDim(wrong)
		return
	case err != nil:
		return
	}
	hits := []qdrantHit{}
	for _, h := range found {
		if req.Threshold != nil && h.score < *req.Threshold {
			continue
		}
		q := qdrantHit{ID: h.id, Version: h.version, Score: h.score}
		if req.WithPayload != nil && req.WithPayload != false {
			q.Payload = h.payload
		}
		if req.WithVector {
			q.Vector = h.vector
		}
		hits = append(hits, q)
	}
	c.qdrant(http.StatusOK, result(hits))
}
