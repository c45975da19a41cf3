package cli

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/bearer"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ops"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

// A front is the HTTP server that people look at.
type front struct {
	page    *web.Page
	server  *http.Server
	addr    string
	stopped chan struct{}
}

// startFront serves the page of a store at addr, and what operators ask for. The error is an *ingest.ListenError.
func startFront(ctx context.Context, st *store.Store, addr string, options web.Options, token bearer.Token, operators *ops.Ops) (*front, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, &ingest.ListenError{Addr: addr, Err: err}
	}
	bound := listener.Addr().String()
	if at, err := netip.ParseAddrPort(bound); err == nil {
		options.Local = at.Addr().IsLoopback()
	}
	mux := http.NewServeMux()
	f := &front{page: newPage(st, options), addr: bound, stopped: make(chan struct{})}
	mux.HandleFunc("GET /healthz", operators.Health)
	mux.HandleFunc("GET /readyz", operators.Ready)
	mux.Handle("GET /metrics", behind(token, http.HandlerFunc(operators.Metrics)))
	mux.Handle("/", behind(token, f.page))
	f.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	go func() {
		defer close(f.stopped)
		f.server.Serve(listener) // ends when it is closed
	}()
	return f, nil
}

// behind lets those pass who show the token.
func behind(token bearer.Token, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !token.AllowsPerson(r) {
			bearer.ChallengePerson(w.Header())
			http.Error(w, "a token is asked for: as Authorization: Bearer TOKEN, or as the password of any name", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// close ends live updates, and lets other requests be answered for a second.
func (f *front) close() error {
	f.page.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := f.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = f.server.Close()
	}
	<-f.stopped
	return err
}
