package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/setup"
)

func main() {
	database := flag.String("database", "postgres://postgres@127.0.0.1/postgres", "the database, as a `URL`")
	addr := flag.String("addr", "127.0.0.1:8080", "where to answer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *database, *addr); err != nil {
		fmt.Fprintf(os.Stderr, "pgvector: %v\n", err)
		os.Exit(1)
	}
}

// run answers questions until ctx ends.
func run(ctx context.Context, database, addr string) (err error) {
	flush, err := setup.Start(ctx, "pgvector")
	if err != nil {
		return err
	}
	defer func() {
		if err := flush(context.WithoutCancel(ctx)); err != nil {
			log.Printf("pgvector: %v", err)
		}
	}()
	s, err := open(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	log.Printf("searching with the extension %s, answering on http://%s/", s.extension.name, addr)
	server := &http.Server{Addr: addr, Handler: tracer.Middleware(s.answer())}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%w (pass -addr to choose another)", err)
	}
	return nil
}
