package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ragtrace/ragtrace/tracer/setup"
)

// grace is how long a request may take to arrive, and how long answers that are being written may go on after a signal.
const grace = 10 * time.Second

func main() {
	c, err := parseConfig(os.Args[1:], os.Getenv, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = run(ctx, c)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "ragapp: %v\n", err)
		os.Exit(1)
	}
}

// run ingests the documents and answers questions until ctx ends.
func run(ctx context.Context, c config) error {
	// The first line of tracing: spans go where OTEL_EXPORTER_OTLP_ENDPOINT says.
	flush, err := setup.Start(ctx, "ragapp")
	if err != nil {
		return err
	}
	defer func() {
		// Without a deadline of ours, it waits for at most five seconds.
		if err := flush(context.WithoutCancel(ctx)); err != nil {
			log.Printf("ragapp: %v", err)
		}
	}()

	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fmt.Errorf("listening on %s: %w (pass -addr to choose another)", c.addr, err)
	}
	a := newApp(c)
	n, err := a.ingest(ctx)
	if err != nil {
		listener.Close()
		return fmt.Errorf("ingesting the documents: %w", err)
	}
	log.Printf("ragapp: %d passages stored, answering on http://%s/", n, listener.Addr())
	return serve(ctx, listener, a.handler())
}

// serve serves until ctx ends, then lets the answers that are being written finish.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: grace}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return fmt.Errorf("answers were cut off after %v: %w", grace, err)
	}
	return nil
}
