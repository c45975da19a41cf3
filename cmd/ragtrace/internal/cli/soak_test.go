//go:build unix

package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
)

// BenchmarkSoak sends a million spans, 12 a question and 480 a request, waiting for each answer, to ragtrace serve in a
// process of its own, and reads the file that comes of it. -benchtime 1x is enough.
func BenchmarkSoak(b *testing.B) {
	const questions, perRequest = 83_320, 40
	for b.Loop() {
		db := filepath.Join(b.TempDir(), "soak.db")
		serve := startServe(b, db)
		conn, err := grpc.NewClient(serve.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			b.Fatal(err)
		}
		pipeline := otlptest.NewPipeline(1)
		var traces []model.TraceID
		var took []time.Duration
		for range questions / perRequest {
			request := pipeline.Request(perRequest)
			traces = append(traces, model.TraceID(request.ResourceSpans[0].ScopeSpans[0].Spans[0].TraceId))
			began := time.Now()
			if _, err := coltracepb.NewTraceServiceClient(conn).Export(b.Context(), request); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(began))
		}
		conn.Close()
		if err := serve.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			b.Fatal(err)
		}
		if err := serve.cmd.Wait(); err != nil {
			b.Fatal(err, serve.stderr)
		}
		state := serve.cmd.ProcessState
		b.ReportMetric(questions*12/(state.UserTime()+state.SystemTime()).Seconds(), "spans/CPU-s")
		if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
			b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB")
		}
		slices.Sort(took)
		b.ReportMetric(ms(took[len(took)/2]), "ack-p50-ms")
		b.ReportMetric(ms(took[len(took)*99/100]), "ack-p99-ms")
		if info, err := os.Stat(db); err == nil {
			b.ReportMetric(float64(info.Size())/(questions*12), "disk-B/span")
		}
		readSoak(b, db, traces, questions)
	}
}

func readSoak(b *testing.B, db string, ids []model.TraceID, questions int) {
	st, err := store.OpenReadOnly(db)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	b.ReportMetric(ms(median(func() {
		id := ids[0]
		ids = ids[1:]
		if spans, err := st.Trace(b.Context(), id); err != nil || len(spans) != 12 {
			b.Fatal(len(spans), err)
		}
	}, 100)), "trace-ms")

	for what, session := range map[string]string{"slow-ms": "", "slow-session-ms": "session-1"} {
		b.ReportMetric(ms(median(func() {
			t, err := readStore(b.Context(), db, window{}, io.Discard)
			if err != nil || t.table.Len() != questions {
				b.Fatal(t, err)
			}
			defer t.close()
			f := stats.Filter{Session: session}
			if err := writeSlow(io.Discard, t.table.Judge(nil, f.Rows(t.table)), ""); err != nil {
				b.Fatal(err)
			}
		}, 5)), what)
	}
	b.ReportMetric(ms(median(func() {
		if out, err := exec.Command("ragtrace", "slow", "--db", db).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}, 5)), "slow-process-ms")
}

// median runs f n times and tells the median of how long that took.
func median(f func(), n int) time.Duration {
	var took []time.Duration
	for range n {
		began := time.Now()
		f()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
