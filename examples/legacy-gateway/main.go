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

	"github.com/uber/jaeger-client-go"
	jaegerconfig "github.com/uber/jaeger-client-go/config"

	"github.com/ragtrace/ragtrace/tracer/opentracing"
)

// grace is how long a request's head may take to arrive, and how long answers may go on after a signal.
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
		fmt.Fprintf(os.Stderr, "legacy-gateway: %v\n", err)
		os.Exit(1)
	}
}

// run passes requests on until ctx ends.
func run(ctx context.Context, c config) error {
	settings, err := jaegerConfig()
	if err != nil {
		return err
	}
	options := append(opentracing.Options(), jaegerconfig.Logger(jaeger.StdLogger)) // logs what is wrong with the reporting
	tracer, closer, err := settings.NewTracer(options...)
	if err != nil {
		return fmt.Errorf("jaeger-client-go: %w", err)
	}
	defer closer.Close() // sends the spans that wait

	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fmt.Errorf("listening on %s: %w (pass -addr to choose another)", c.addr, err)
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DisableCompression = true // bytes pass as they are
	server := &http.Server{Handler: newGateway(tracer, c.ollama, c.limit, base), ReadHeaderTimeout: grace}
	log.Printf("legacy-gateway: http://%s passes on to %s, %d at a time", listener.Addr(), c.ollama, c.limit)
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
