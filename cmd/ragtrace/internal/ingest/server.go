package ingest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// Config says where to listen. An empty address is not listened on; port 0 is any free one.
type Config struct {
	GRPC string // OTLP over gRPC
	HTTP string // OTLP over HTTP
}

// A Server receives OTLP into a store until it is closed.
type Server struct {
	store   *store.Store
	memory  budget
	counts  counts
	servers []*http.Server
	running sync.WaitGroup

	grpcAddr, httpAddr string
}

// A ListenError says that an address cannot be listened on.
type ListenError struct {
	Addr string
	Err  error
}

func (e *ListenError) Error() string { return fmt.Sprintf("listen on %s: %v", e.Addr, e.Err) }

// Unwrap returns the reason.
func (e *ListenError) Unwrap() error { return e.Err }

// Start listens and serves. The error is a *ListenError. The store stays the caller's, to be closed after the server.
func Start(ctx context.Context, st *store.Store, cfg Config) (*Server, error) {
	s := &Server{store: st}
	s.memory.free.Store(maxMemory)
	var err error
	if s.grpcAddr, err = s.listen(ctx, cfg.GRPC); err == nil {
		s.httpAddr, err = s.listen(ctx, cfg.HTTP)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// listen serves both protocols at addr, since a sender with the two ports mixed up is easier served than taught.
func (s *Server) listen(ctx context.Context, addr string) (string, error) {
	if addr == "" {
		return "", nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return "", &ListenError{addr, err}
	}
	srv := &http.Server{
		Handler: s,
		// A sender that stops in the middle holds memory: it gets half a minute.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       10 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		Protocols:         &http.Protocols{},
	}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	s.servers = append(s.servers, srv)
	s.running.Go(func() { srv.Serve(l) }) // ends with http.ErrServerClosed
	return l.Addr().String(), nil
}

// GRPCAddr is the address that gRPC is listened for on, with the real port, or "".
func (s *Server) GRPCAddr() string { return s.grpcAddr }

// HTTPAddr is the address that HTTP is listened for on, with the real port, or "".
func (s *Server) HTTPAddr() string { return s.httpAddr }

// Close stops listening, finishes the requests that are being received, and returns when all is done. Requests that are
// not done after five seconds are cut off, without an answer.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	errs := make([]error, len(s.servers))
	var closing sync.WaitGroup
	for i, srv := range s.servers {
		closing.Go(func() {
			if srv.Shutdown(ctx) != nil {
				errs[i] = srv.Close()
			}
		})
	}
	closing.Wait()
	s.running.Wait()
	return errors.Join(errs...)
}

// ServeHTTP answers both protocols.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc"):
		s.serveGRPC(w, r)
	case r.URL.Path == "/v1/traces":
		s.serveTraces(w, r)
	default:
		http.Error(w, "ragtrace receives traces at /v1/traces, and nothing else", http.StatusNotFound)
	}
}
