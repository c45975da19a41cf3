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

	"github.com/klauspost/compress/zstd"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/bearer"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"google.golang.org/grpc/codes"
)

// Config says where to listen, and whom to let in. An empty address is not listened on; port 0 is any free one.
type Config struct {
	GRPC   string       // OTLP over gRPC
	HTTP   string       // OTLP over HTTP
	Thrift string       // what Jaeger's clients send over HTTP
	Token  bearer.Token // what every request must show
}

// A Server receives traces into a store until it is closed.
type Server struct {
	store     *store.Store
	token     bearer.Token
	memory    budget
	unpackers chan *zstd.Decoder // those that are not in use
	counts    counts
	servers   []*http.Server
	running   sync.WaitGroup

	grpcAddr, httpAddr, thriftAddr string
}

// maxUnpackers is how many requests are unpacked from zstd at a time.
const maxUnpackers = 2

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
	s := &Server{store: st, token: cfg.Token, unpackers: make(chan *zstd.Decoder, maxUnpackers)}
	s.memory.free.Store(maxMemory)
	for range maxUnpackers {
		zr, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, err
		}
		s.unpackers <- zr
	}
	for _, l := range []struct {
		addr string
		real *string
	}{{cfg.GRPC, &s.grpcAddr}, {cfg.HTTP, &s.httpAddr}, {cfg.Thrift, &s.thriftAddr}} {
		var err error
		if *l.real, err = s.listen(ctx, l.addr); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// listen serves all protocols at addr, since a sender with the ports mixed up is easier served than taught.
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

// ThriftAddr is the address that Jaeger's clients are listened for on, with the real port, or "".
func (s *Server) ThriftAddr() string { return s.thriftAddr }

// Receiving is how many bytes are held by requests that are being received or wait for their commit.
func (s *Server) Receiving() int64 { return maxMemory - s.memory.free.Load() }

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

// ServeHTTP answers all protocols.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isGRPC := r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
	switch {
	case !s.token.Allows(r):
		s.counts.unauthorized.Add(1)
		if isGRPC {
			w.Header().Set("Content-Type", "application/grpc")
			failGRPC(w, &failure{grpc: codes.Unauthenticated, msg: noToken})
			return
		}
		bearer.Challenge(w.Header())
		http.Error(w, noToken, http.StatusUnauthorized)
	case isGRPC:
		s.serveGRPC(w, r)
	case r.URL.Path == "/v1/traces":
		s.serveTraces(w, r)
	case r.URL.Path == "/api/traces":
		s.serveThrift(w, r)
	default:
		http.Error(w, "ragtrace receives traces at /v1/traces, Jaeger's at /api/traces, and nothing else", http.StatusNotFound)
	}
}

const noToken = "a token is asked for: send the header Authorization: Bearer TOKEN"
