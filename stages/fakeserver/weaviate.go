package fakeserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const weaviate = "weaviate"

func (s *VectorStore) weaviateRoutes() {
	s.handle("GET /v1/meta", func(c *call) {
		c.json(http.StatusOK, "application/json", struct {
			GRPCMaxMessageSize int            `json:"grpcMaxMessageSize"`
			Hostname           string         `json:"hostname"`
			Modules            map[string]any `json:"modules"`
			Version            string         `json:"version"`
		}{104858000, "http://[::]:8080", map[string]any{}, "1.35.2"})
	})
	s.handle("GET /v1/.well-known/ready", func(*call) {})
	s.handle("GET /v1/.well-known/live", func(*call) {})
	s.handle("GET /v1/schema", s.weaviateSchema)
	s.handle("POST /v1/schema", s.weaviateCreate)
	s.handle("GET /v1/schema/{class}", func(c *call) {
		col, _ := s.collection(weaviate, c.r.PathValue("class"), nil)
		if col == nil {
			c.w.WriteHeader(http.StatusNotFound)
			return
		}
		c.json(http.StatusOK, "application/json", col.meta)
	})
	s.handle("DELETE /v1/schema/{class}", func(c *call) { s.remove(weaviate, c.r.PathValue("class")) })
	s.handle("POST /v1/objects", s.weaviateObject)
	s.handle("POST /v1/batch/objects", s.weaviateBatch)
	s.handle("POST /v1/graphql", s.weaviateGraphQL)
}

func (c *call) weaviateFail(status int, message string) {
	type line struct {
		Message string `json:"message"`
	}
	c.json(status, "application/json", struct {
		Error []line `json:"error"`
	}{[]line{{message}}})
}

func (c *call) weaviateDecode(v any) bool {
	if err := json.Unmarshal(c.body, v); err != nil {
		c.weaviateFail(http.StatusBadRequest, "parse body: "+err.Error())
		return false
	}
	return true
}

func (s *VectorStore) weaviateSchema(c *call) {
	classes := []json.RawMessage{}
	for _, name := range s.names(weaviate) {
		if col, _ := s.collection(weaviate, name, nil); col != nil {
			classes = append(classes, col.meta)
		}
	}
	c.json(http.StatusOK, "application/json", map[string]any{"classes": classes})
}

func (s *VectorStore) weaviateCreate(c *call) {
	var req map[string]any
	if !c.weaviateDecode(&req) {
		return
	}
	name, _ := req["class"].(string)
	if name == "" {
		c.weaviateFail(http.StatusUnprocessableEntity, "'' is not a valid class name")
		return
	}
	if _, ok := req["vectorizer"]; !ok {
		req["vectorizer"] = "none"
	}
	col, made := s.collection(weaviate, name, func() *collection { return &collection{meta: encode(req)} })
	if !made {
		c.weaviateFail(http.StatusUnprocessableEntity, fmt.Sprintf("class name %s already exists", name))
		return
	}
	c.json(http.StatusOK, "application/json", col.meta)
}

type weaviateObject struct {
	Class      string         `json:"class"`
	Created    int64          `json:"creationTimeUnix"`
	ID         string         `json:"id"`
	Updated    int64          `json:"lastUpdateTimeUnix"`
	Properties map[string]any `json:"properties"`
	Vector     []float32      `json:"vector,omitempty"`
	Result     map[string]any `json:"result,omitempty"` // in a batch
}

// weaviatePut writes one object, making its class if it must. It returns what is wrong with it, or "".
func (s *VectorStore) weaviatePut(o *weaviateObject) string {
	if o.Class == "" {
		return "invalid object: the class is required but not present"
	}
	if o.ID == "" {
		o.ID = uuid(o.Class + string(encode(o.Properties)))
	}
	o.Created = time.Now().UnixMilli()
	o.Updated = o.Created
	col, _ := s.collection(weaviate, o.Class, func() *collection {
		return &collection{meta: encode(map[string]any{"class": o.Class, "vectorizer": "none"})}
	})
	if err := s.put(col, []point{{id: o.ID, vector: o.Vector, payload: o.Properties}}); err != nil {
		return weaviateWrongDim(err)
	}
	return ""
}

func weaviateWrongDim(err *dimError) string {
	return fmt.Sprintf("vector lengths don't match: %d vs %d", err.want, err.got)
}

func (s *VectorStore) weaviateObject(c *call) {
	var o weaviateObject
	if !c.weaviateDecode(&o) || !s.write(c) {
		return
	}
	if failure := s.weaviatePut(&o); failure != "" {
		c.weaviateFail(http.StatusUnprocessableEntity, failure)
		return
	}
	c.json(http.StatusOK, "application/json", o)
}

func (s *VectorStore) weaviateBatch(c *call) {
	var req struct {
		Objects []weaviateObject `json:"objects"`
	}
	if !c.weaviateDecode(&req) || !s.write(c) {
		return
	}
	for i := range req.Objects {
		o := &req.Objects[i]
		failure := s.weaviatePut(o)
		o.Result = map[string]any{"status": "SUCCESS"}
		if failure != "" {
			o.Result = map[string]any{
				"status": "FAILED", "errors": map[string]any{"error": []map[string]string{{"message": failure}}},
			}
		}
	}
	c.json(http.StatusOK, "application/json", req.Objects)
}

func (s *VectorStore) weaviateGraphQL(c *call) {
	var req struct {
		Query string `json:"query"`
	}
	if !c.weaviateDecode(&req) {
		return
	}
	fail := func(message string) {
		type line struct {
			Locations []any  `json:"locations"`
			Message   string `json:"message"`
			Path      any    `json:"path"`
		}
		c.json(http.StatusOK, "application/json", struct {
			Data   any    `json:"data"`
			Errors []line `json:"errors"`
		}{nil, []line{{[]any{}, message, nil}}})
	}
	gets, err := parseGet(req.Query)
	if err != nil {
		fail("Syntax Error GraphQL request " + err.Error())
		return
	}
	found := map[string]any{}
	for _, g := range gets {
		col, _ := s.collection(weaviate, g.class, nil)
		if col == nil {
			fail(fmt.Sprintf("Cannot query field %q on type \"GetObjectsObj\".", g.class))
			return
		}
		hits, err := s.search(c.r.Context(), col, g.vector, g.limit)
		var wrong *dimError
		switch {
		case errors.As(err, &wrong):
			fail(weaviateWrongDim(wrong))
			return
		case err != nil:
			return
		}
		objects := []map[string]any{}
		for _, h := range hits {
			if g.distance > 0 && float64(1-h.score) > g.distance {
				break
			}
			objects = append(objects, g.object(h))
		}
		found[g.class] = objects
	}
	c.json(http.StatusOK, "application/json", map[string]any{"data": map[string]any{"Get": found}})
}

// object is what the query selected of a hit.
func (g get) object(h hit) map[string]any {
	o := map[string]any{}
	for _, p := range g.properties {
		o[p] = h.payload[p]
	}
	if len(g.additional) == 0 {
		return o
	}
	more := map[string]any{}
	for _, a := range g.additional {
		switch a {
		case "id":
			more[a] = h.id
		case "distance":
			more[a] = 1 - h.score
		case "certainty":
			more[a] = (1 + h.score) / 2
		case "vector":
			more[a] = h.vector
		default:
			more[a] = nil
		}
	}
	o["_additional"] = more
	return o
}
