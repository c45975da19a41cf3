//go:build unix

package cli

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
)

// BenchmarkServe sends requests of 480 spans to ragtrace serve in a process of its own, and waits for each answer. It tells
// what that process spent: spans per second of its CPU time, its peak memory, and the bytes on disk for a span.
func BenchmarkServe(b *testing.B) {
	b.Run("grpc", func(b *testing.B) {
		benchmarkServe(b, func(s *serving) func(*coltracepb.ExportTraceServiceRequest) error {
			conn, err := grpc.NewClient(s.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { conn.Close() })
			return func(request *coltracepb.ExportTraceServiceRequest) error {
				_, err := coltracepb.NewTraceServiceClient(conn).Export(b.Context(), request)
				return err
			}
		})
	})
	b.Run("http", func(b *testing.B) {
		benchmarkServe(b, func(s *serving) func(*coltracepb.ExportTraceServiceRequest) error {
			return func(request *coltracepb.ExportTraceServiceRequest) error {
				raw, err := proto.Marshal(request)
				if err != nil {
					return err
				}
				resp, err := http.Post("http://"+s.http+"/v1/traces", "application/x-protobuf", bytes.NewReader(raw))
				if err != nil {
					return err
				}
				return resp.Body.Close()
			}
		})
	})
}

func benchmarkServe(b *testing.B, connect func(*serving) func(*coltracepb.ExportTraceServiceRequest) error) {
	db := filepath.Join(b.TempDir(), "bench.db")
	serve := startServe(b, db)
	send := connect(serve)
	spans := 0
	for b.Loop() {
		if err := send(otlptest.Questions(40)); err != nil {
			b.Fatal(err)
		}
		spans += 480
	}
	if err := serve.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := serve.cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	state := serve.cmd.ProcessState
	b.ReportMetric(float64(spans)/(state.UserTime()+state.SystemTime()).Seconds(), "spans/CPU-s")
	b.ReportMetric(float64(spans)/b.Elapsed().Seconds(), "spans/s")
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB")
	}
	if info, err := os.Stat(db); err == nil {
		b.ReportMetric(float64(info.Size())/float64(spans), "disk-B/span")
	}
}
