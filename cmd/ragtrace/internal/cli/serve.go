package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/index"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ops"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
	"github.com/spf13/cobra"
)

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Receive traces over OTLP, store them, and show the page",
		Long: `Receive traces over OTLP, by gRPC and by HTTP, store them in one file, and show them on a page.
What was acknowledged to the sender is in the file, even if ragtrace is killed.

/healthz, /readyz and /metrics (for Prometheus) are at the address of the page. With --token, all but the first two ask
for it.`,
		Example: `  ragtrace serve
  ragtrace serve --db traces.db --keep-for 30d --keep-size 2GiB`,
		Args: takes(0, 0),
	}
	db := dbFlag(cmd)
	grpcAddr := cmd.Flags().String("otlp-grpc", "127.0.0.1:4317", "`ADDR` to receive OTLP/gRPC on")
	httpAddr := cmd.Flags().String("otlp-http", "127.0.0.1:4318", "`ADDR` to receive OTLP/HTTP on")
	pageAddr := cmd.Flags().String("http", "127.0.0.1:8077", "`ADDR` to show the page on; \"\" for none")
	jaegerUI := cmd.Flags().String("jaeger-ui", "", "`URL` of a Jaeger UI to link traces to, such as http://localhost:16686")
	thriftAddr := cmd.Flags().String("jaeger-thrift", "127.0.0.1:14268", "`ADDR` to receive what Jaeger's clients send on; \"\" for none")
	tokenFlag := cmd.Flags().String("token", "", "ask senders for \"Authorization: Bearer `TOKEN`\", and those who look at the page\n"+
		"for it as a password; @FILE reads it from a file, as arguments show in ps")
	insecure := cmd.Flags().Bool("insecure-listen", false, "allow addresses that other machines can reach without a token,\nso that anyone there may write and read")
	limits := newLimitFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		token, err := readToken(*tokenFlag, cmd.Flags().Changed("token"))
		if err != nil {
			return err
		}
		for _, l := range []struct {
			flag, addr string
			mayBeNone  bool
		}{
			{"--otlp-grpc", *grpcAddr, false}, {"--otlp-http", *httpAddr, false}, {"--http", *pageAddr, true}, {"--jaeger-thrift", *thriftAddr, true},
		} {
			if l.addr == "" && l.mayBeNone {
				continue
			}
			if err := checkAddr(l.flag, l.addr, *insecure || token != ""); err != nil {
				return err
			}
		}
		s := collector{db: *db, page: *pageAddr, ingest: ingest.Config{GRPC: *grpcAddr, HTTP: *httpAddr, Thrift: *thriftAddr, Token: token}}
		if s.limits, err = limits.limits(); err != nil {
			return err
		}
		if s.options.JaegerURL, err = jaegerURL(*jaegerUI); err != nil {
			return err
		}
		return s.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// A collector is what ragtrace serve was asked for.
type collector struct {
	db      string
	ingest  ingest.Config
	page    string // its address; "" for none
	options web.Options
	limits  store.Limits
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

// run serves until ctx is done, and finishes what it has accepted.
func (s collector) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	st, err := store.Open(s.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	server, err := ingest.Start(ctx, st, s.ingest)
	if err != nil {
		return s.explainListen(err)
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	defer index.Keep(st, log).Close()
	operators := ops.New(st, server, log)
	shown := ""
	if s.page != "" {
		s.options.Receiver = receiver(server.GRPCAddr(), server.HTTPAddr(), st.Path())
		front, failed := startFront(ctx, st, s.page, s.options, s.ingest.Token, operators)
		if failed != nil {
			return errors.Join(s.explainListen(failed), server.Close())
		}
		defer func() { err = errors.Join(err, front.close()) }()
		shown = front.addr
	}
	fmt.Fprintf(stdout, "OTLP/gRPC on %s, OTLP/HTTP on %s, traces in %s\n", server.GRPCAddr(), server.HTTPAddr(), st.Path())
	if addr := server.ThriftAddr(); addr != "" {
		fmt.Fprintf(stdout, "Jaeger Thrift on http://%s/api/traces\n", addr)
	}
	if shown != "" {
		fmt.Fprintf(stdout, "page on http://%s/\n", shown)
	}

	var pruning sync.WaitGroup
	defer pruning.Wait()
	pruning.Go(func() { prune(ctx, st, s.limits, log) })
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	var last ingest.Counts
	for {
		select {
		case <-ticker.C:
			last = logCounts(log, last, server.Counts())
		case <-ctx.Done():
			operators.Closing()
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
		log.Warn("refused", "spans", now.Refused-last.Refused, "unreadable_requests", now.Bad-last.Bad, "reasons", newReasons(last, now))
	}
	if now.Unauthorized > last.Unauthorized {
		log.Warn("without the token", "requests", now.Unauthorized-last.Unauthorized)
	}
	if now.Busy > last.Busy {
		log.Warn("told senders to wait", "requests", now.Busy-last.Busy)
	}
	if now.Failed > last.Failed {
		log.Error("not stored", "requests", now.Failed-last.Failed, "err", now.Failure)
	}
	return now
}

// newReasons are why spans were refused since the last time.
func newReasons(last, now ingest.Counts) string {
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(now.Reasons)) {
		if n := now.Reasons[reason] - last.Reasons[reason]; n > 0 {
			reasons = append(reasons, fmt.Sprintf("%d: %s", n, reason))
		}
	}
	return strings.Join(reasons, "; ")
}

// checkAddr refuses what is no address, and one that other machines can reach when nothing asks them who they are.
func checkAddr(flag, addr string, open bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usagef("%s %q is not HOST:PORT", flag, addr)
	}
	ip, err := netip.ParseAddr(host)
	if loopback := host == "localhost" || err == nil && ip.IsLoopback(); !loopback && !open {
		return usagef("%s %s can be reached from other machines, and anyone there could write: pass --token, or pass --insecure-listen if that is meant", flag, addr)
	}
	return nil
}

// explainListen says which flag chooses another address.
func (s collector) explainListen(err error) error {
	failed, ok := errors.AsType[*ingest.ListenError](err)
	if !ok {
		return err
	}
	flag := "--http"
	switch failed.Addr {
	case s.ingest.GRPC:
		flag = "--otlp-grpc"
	case s.ingest.HTTP:
		flag = "--otlp-http"
	case s.ingest.Thrift:
		flag = "--jaeger-thrift"
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is in use (pass %s to choose another)", failed.Addr, flag)
	}
	return fmt.Errorf("%w (%s chooses the address)", err, flag)
}
