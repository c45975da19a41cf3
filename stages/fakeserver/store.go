package fakeserver

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// StoreConfig scripts a vector store.
type StoreConfig struct {
	Search      time.Duration // what each search takes
	FirstSearch time.Duration // what the first search of a collection takes more, as an index that is not in memory yet
	Write       time.Duration // what each write of points takes
	Script      Script
}

// VectorStore is a working vector store in memory. It compares by cosine and speaks three dialects at one address:
//
//   - Qdrant: GET, PUT and DELETE /collections/{c}, GET /collections, PUT /collections/{c}/points, and POST
//     .../points/query, /points/search and /points/count;
//   - Weaviate: GET /v1/meta, /v1/.well-known/ready and live; GET and POST /v1/schema, GET and DELETE /v1/schema/{class};
//     POST /v1/objects, /v1/batch/objects, and /v1/graphql with
//     { Get { Class(nearVector: {vector: [...]} limit: n) { properties _additional { id distance } } } };
//   - Chroma v2: GET /api/v2/heartbeat and version, and below /api/v2/tenants/{t}/databases/{d}/collections creating,
//     getting, add, upsert, count and query.
//
// Filters are not followed. Collections of different dialects have nothing to do with each other.
type VectorStore struct {
	config  StoreConfig
	mux     *http.ServeMux
	started time.Time
	n       atomic.Int64

	mu          sync.Mutex
	collections map[string]*collection // by dialect and name, as in "qdrant docs"
}

var _ http.Handler = (*VectorStore)(nil)

// NewVectorStore returns an empty store. There is nothing to close.
func NewVectorStore(config StoreConfig) *VectorStore {
	s := &VectorStore{config: config, mux: http.NewServeMux(), started: time.Now(), collections: map[string]*collection{}}
	s.qdrantRoutes()
	s.weaviateRoutes()
	s.chromaRoutes()
	return s
}

// ServeHTTP answers in the dialect of the request's path.
func (s *VectorStore) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// A call is one request to the store.
type call struct {
	w     http.ResponseWriter
	r     *http.Request
	body  []byte
	fault Fault
	start time.Time // when the store began to work on it
}

// handle serves pattern by h, after the script.
func (s *VectorStore) handle(pattern string, h func(c *call)) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		body, fault, ok := s.config.Script.begin(int(s.n.Add(1)), w, r)
		if !ok {
			return
		}
		h(&call{w, r, body, fault, time.Now()})
	})
}

// json answers with v.
func (c *call) json(status int, contentType string, v any) {
	c.w.Header().Set("Content-Type", contentType)
	c.fault.plain(c.w, c.r, status, encode(v))
}

func (c *call) text(body string) {
	c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(c.w, body)
}

// A collection is a set of points of one dimension.
type collection struct {
	id       string // a UUID, where the dialect has one
	dim      int    // 0 until known
	points   []point
	byID     map[string]int
	searched bool
	meta     json.RawMessage // what it was created with, where the dialect shows that
}

type point struct {
	id      any // as the dialect writes it
	vector  []float32
	payload map[string]any
	version int
}

type hit struct {
	point
	score float64 // the cosine
}

// collection returns the one of that name, making it if make is given.
func (s *VectorStore) collection(dialect, name string, make func() *collection) (c *collection, made bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := dialect + " " + name
	c = s.collections[key]
	if c == nil && make != nil {
		c = make()
		c.byID = map[string]int{}
		s.collections[key] = c
		return c, true
	}
	return c, false
}

// names lists a dialect's collections.
func (s *VectorStore) names(dialect string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for key := range s.collections {
		if name, ok := strings.CutPrefix(key, dialect+" "); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (s *VectorStore) remove(dialect, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := dialect + " " + name
	_, ok := s.collections[key]
	delete(s.collections, key)
	return ok
}

// put writes points, those of a known id over the old ones. It returns the dimension that the collection has when a vector
// has another; then nothing is written.
func (s *VectorStore) put(ctx context.Context, c *collection, points []point) (wrongDim int, err error) {
	if err := wait(ctx, s.config.Write); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range points {
		if c.dim == 0 {
			c.dim = len(p.vector)
		}
		if len(p.vector) != c.dim {
			return c.dim, nil
		}
	}
	for _, p := range points {
		key := string(encode(p.id))
		if i, ok := c.byID[key]; ok {
			p.version = c.points[i].version + 1
			c.points[i] = p
			continue
		}
		c.byID[key] = len(c.points)
		c.points = append(c.points, p)
	}
	return 0, nil
}

// search returns the limit points nearest to v, the nearest first; of equal ones the older first.
func (s *VectorStore) search(ctx context.Context, c *collection, v []float32, limit int) ([]hit, error) {
	s.mu.Lock()
	d := s.config.Search
	if !c.searched {
		c.searched = true
		d += s.config.FirstSearch
	}
	s.mu.Unlock()
	if err := wait(ctx, d); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	hits := []hit{}
	for _, p := range c.points {
		hits = append(hits, hit{p, cosine(v, p.vector)})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return hits[:min(max(limit, 0), len(hits))], nil
}

// count returns the number of points.
func (s *VectorStore) count(c *collection) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(c.points)
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range min(len(a), len(b)) {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
