package fakeserver

import (
	"io"
	"net/http"
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

// write takes the time of a write. It returns false if the client has left.
func (s *VectorStore) write(c *call) bool { return wait(c.r.Context(), s.config.Write) == nil }
