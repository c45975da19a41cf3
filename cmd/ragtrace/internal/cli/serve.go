package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/index"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
	"github.com/spf13/cobra"
)

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Receive traces over OTLP, store them, and show the page",
		Long: `Receive traces over OTLP, by gRPC and by HTTP, store them in one file, and show them on a page.
What was acknowledged to the sender is in the file, even if ragtrace is killed.`,
		Args: cobra.NoArgs,
	}
	db := dbFlag(cmd)
	grpcAddr := cmd.Flags().String("otlp-grpc", "127.0.0.1:4317", "`ADDR` to receive OTLP/gRPC on")
	httpAddr := cmd.Flags().String("otlp-http", "127.0.0.1:4318", "`ADDR` to receive OTLP/HTTP on")
	pageAddr := cmd.Flags().String("http", "127.0.0.1:8077", "`ADDR` to show the page on; \"\" for none")
	jaegerUI := cmd.Flags().String("jaeger-ui", "", "`URL` of a Jaeger UI to link traces to, such as http://localhost:16686")
	insecure := cmd.Flags().Bool("insecure-listen", false, "allow addresses that other machines can reach, where anyone may write")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkAddr("--otlp-grpc", *grpcAddr, *insecure); err != nil {
			return err
		}
		if err := checkAddr("--otlp-http", *httpAddr, *insecure); err != nil {
			return err
		}
		if *pageAddr != "" {
			if err := checkAddr("--http", *pageAddr, *insecure); err != nil {
				return err
			}
		}
		jaeger, err := jaegerURL(*jaegerUI)
		if err != nil {
			return err
		}
		return serve(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), *db, ingest.Config{GRPC: *grpcAddr, HTTP: *httpAddr},
			*pageAddr, web.Options{JaegerURL: jaeger})
	}
	return cmd
}

// jaegerURL checks the address of a Jaeger UI.
func jaegerURL(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", usagef("--jaeger-ui %q is no address of a page, such as http://localhost:16686", text)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// serve runs until ctx is done. Without an address for the page there is none.
func serve(ctx context.Context, stdout, stderr io.Writer, db string, cfg ingest.Config, page string, options web.Options) (err error) {
	st, err := store.Open(db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	server, err := ingest.Start(ctx, st, cfg)
	if err != nil {
		return explainListen(err, cfg)
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	defer index.Keep(st, log).Close()
	shown := ""
	if page != "" {
		front, failed := startFront(ctx, st, page, options)
		if failed != nil {
			return errors.Join(explainListen(failed, cfg), server.Close())
		}
		defer func() { err = errors.Join(err, front.close()) }()
		shown = front.addr
	}
	fmt.Fprintf(stdout, "OTLP/gRPC on %s, OTLP/HTTP on %s, traces in %s\n", server.GRPCAddr(), server.HTTPAddr(), st.Path())
	if shown != "" {
		fmt.Fprintf(stdout, "page on http://%s/\n", shown)
	}

	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	var last ingest.Counts
	for {
		select {
		case <-ticker.C:
			last = logCounts(log, last, server.Counts())
		case <-ctx.Done():
			err := server.Close()
			logCounts(log, last, server.Counts())
			log.Info("stopped")
			return err
		}
	}
}

// logCounts says what has come since the last time, if anything has.
func logCounts(log *slog.Logger, last, now ingest.Counts) ingest.Counts {
	if now.Requests > last.Requests {
		log.Info("received", "requests", now.Requests-last.Requests, "spans", now.Spans-last.Spans, "spans_total", now.Spans)
	}
	if now.Refused > last.Refused || now.Bad > last.Bad {
		log.Warn("refused", "spans", now.Refused-last.Refused, "unreadable_requests", now.Bad-last.Bad)
	}
	if now.Busy > last.Busy {
		log.Warn("told senders to wait", "requests", now.Busy-last.Busy)
	}
	if now.Failed > last.Failed {
		log.Error("not stored", "requests", now.Failed-last.Failed, "err", now.Failure)
	}
	return now
}

// checkAddr refuses what is no address, and one that other machines can reach, as nothing asks who is writing.
func checkAddr(flag, addr string, insecure bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usagef("%s %q is not HOST:PORT", flag, addr)
	}
	ip, err := netip.ParseAddr(host)
	if loopback := host == "localhost" || err == nil && ip.IsLoopback(); !loopback && !insecure {
		return usagef("%s %s can be reached from other machines, and anyone there could write: pass --insecure-listen if that is meant", flag, addr)
	}
	return nil
}

// explainListen says which flag chooses another address.
func explainListen(err error, cfg ingest.Config) error {
	failed, ok := errors.AsType[*ingest.ListenError](err)
	if !ok {
		return err
	}
	flag := "--http"
	switch failed.Addr {
	case cfg.GRPC:
		flag = "--otlp-grpc"
	case cfg.HTTP:
		flag = "--otlp-http"
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is in use (pass %s to choose another)", failed.Addr, flag)
	}
	return fmt.Errorf("%w (%s chooses the address)", err, flag)
}
