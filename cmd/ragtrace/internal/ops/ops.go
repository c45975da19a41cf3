package ops

import (
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// Ops answers operators.
type Ops struct {
	store   *store.Store
	server  *ingest.Server
	log     *slog.Logger
	closing atomic.Bool
}

// New makes one for a store that is open for writing and the server that writes to it. What cannot be told is logged.
func New(st *store.Store, server *ingest.Server, log *slog.Logger) *Ops {
	return &Ops{store: st, server: server, log: log}
}

// Closing has readiness denied from now on, so that nobody sends what would not be taken any more.
func (o *Ops) Closing() { o.closing.Store(true) }

// Health answers as long as the process does: for GET /healthz.
func (o *Ops) Health(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") }

// Ready says whether spans are taken: not when the last commit failed, and not when the server is being closed. For
// GET /readyz.
func (o *Ops) Ready(w http.ResponseWriter, _ *http.Request) {
	switch err := o.store.Commits().Last; {
	case o.closing.Load():
		http.Error(w, "closing", http.StatusServiceUnavailable)
	case err != nil:
		// The error names the file, which is nobody's business who has shown no token.
		http.Error(w, "the last spans could not be stored; the log says why", http.StatusServiceUnavailable)
	default:
		io.WriteString(w, "ready\n")
	}
}
