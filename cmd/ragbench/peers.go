//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
)

// A peer is what is measured.
type peer struct {
	name  string
	start func(ctx context.Context, b *bench, dir string) (*server, error)
}

// A server is a peer that runs.
type server struct {
	*process
	otlp string // the address for OTLP/gRPC
	data string // the folder of what it stores; "" for none
	// read reads a trace by its id; the span is its root.
	read func(ctx context.Context, trace, span []byte) error
	from []string // how ragtrace slow reads all questions
}

// serveLines is what ragtrace serve says when it is ready.
var serveLines = regexp.MustCompile(`(?s)OTLP/gRPC on ([\d.:]+).*page on (http://[\d.:]+)/`)

// startRagtrace runs ragtrace serve. One trace is read from it as one is from Jaeger, over HTTP: a page of a span, for which
// it reads the trace. All questions are read from its file by a process of its own.
func startRagtrace(ctx context.Context, b *bench, dir string) (*server, error) {
	data := filepath.Join(dir, "data")
	db := filepath.Join(data, "traces.db")
	p, err := startProcess(dir, nil, b.ragtrace, "serve", "--db", db, "--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0",
		"--http", "127.0.0.1:0", "--jaeger-thrift", "")
	if err != nil {
		return nil, err
	}
	s := &server{process: p, data: data}
	page := ""
	err = p.await(ctx, func(context.Context) error {
		log, err := os.ReadFile(p.log)
		if err != nil {
			return err
		}
		m := serveLines.FindSubmatch(log)
		if m == nil {
			return errors.New("it has not said where it listens")
		}
		s.otlp, page = string(m[1]), string(m[2])
		return nil
	})
	if err != nil {
		p.stop()
		return nil, err
	}
	s.read = func(ctx context.Context, trace, span []byte) error {
		return get(ctx, fmt.Sprintf("%s/q/%x/s/%x", page, trace, span))
	}
	s.from = []string{"--db", db}
	return s, nil
}

// jaegerConfig runs Jaeger v2 with one storage and nothing that it does not need. The sender waits until it has stored.
const jaegerConfig = `service:
  extensions: [jaeger_storage, jaeger_query]
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [jaeger_storage_exporter]
  telemetry:
    metrics: {level: none}
    logs: {level: warn}
extensions:
  jaeger_storage:
    backends:
      spans:
%s
  jaeger_query:
    storage: {traces: spans}
    http: {endpoint: "%s"}
    grpc: {endpoint: "%s"}
receivers:
  otlp: {protocols: {grpc: {endpoint: "%s"}}}
exporters:
  jaeger_storage_exporter: {trace_storage: spans}
`

func startMemory(ctx context.Context, b *bench, dir string) (*server, error) {
	return startJaeger(ctx, b, dir, "", "        memory: {max_traces: 1000000}")
}

func startBadger(ctx context.Context, b *bench, dir string) (*server, error) {
	data := filepath.Join(dir, "data")
	for _, d := range []string{data, filepath.Join(data, "keys"), filepath.Join(data, "values")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, err
		}
	}
	return startJaeger(ctx, b, dir, data, fmt.Sprintf("        badger: {ephemeral: false, ttl: {spans: 240h}, directories: {keys: %q, values: %q}}",
		filepath.Join(data, "keys"), filepath.Join(data, "values")))
}

func startJaeger(ctx context.Context, b *bench, dir, data, storage string) (*server, error) {
	addrs, err := freeAddrs(3)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "jaeger.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, jaegerConfig, storage, addrs[0], addrs[1], addrs[2]), 0o600); err != nil {
		return nil, err
	}
	// It would trace itself, and wait for a collector at its end.
	p, err := startProcess(dir, []string{"OTEL_TRACES_SAMPLER=always_off"}, b.jaeger, "--config", config)
	if err != nil {
		return nil, err
	}
	query := "http://" + addrs[0]
	s := &server{process: p, otlp: addrs[2], data: data}
	s.read = func(ctx context.Context, trace, _ []byte) error {
		return get(ctx, fmt.Sprintf("%s/api/v3/traces/%x", query, trace))
	}
	s.from = []string{"--from", "jaeger=" + query, "--since", "7d"}
	if err := p.await(ctx, func(ctx context.Context) error { return get(ctx, query+"/api/v3/services") }); err != nil {
		p.stop()
		return nil, err
	}
	return s, nil
}

// freeAddrs are loopback addresses on which nobody listens.
func freeAddrs(n int) (addrs []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}

func get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return nil
}
