//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/protobuf/proto"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/index"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// BenchmarkMillion runs the commands over a million spans of 83,320 questions, in a store and in a file of OTLP/JSON, each
// in a process of its own: what it takes, and its peak memory. -benchtime 1x is enough.
func BenchmarkMillion(b *testing.B) {
	db, file := million(b, 83_320/40, 40)
	for _, from := range []struct{ name, flag, path string }{{"store", "--db", db}, {"file", "--from", file}} {
		for _, args := range [][]string{
			{"slow"}, {"slow", "--json"}, {"stats"}, {"check", "p95(ttft) < 1h", "cold(llm_load) < 9999"}, {"compare", "session-1/1", "warm"},
		} {
			name := args[0]
			if len(args) == 2 && args[1] == "--json" {
				name += "-json"
			}
			b.Run(from.name+"/"+name, func(b *testing.B) {
				peak := 0.0
				for b.Loop() {
					cmd := exec.Command("ragtrace", append(args[:len(args):len(args)], from.flag, from.path)...)
					var out, errs bytes.Buffer
					cmd.Stdout, cmd.Stderr = &out, &errs
					if err := cmd.Run(); err != nil || out.Len() == 0 {
						b.Fatalf("%v\n%s%s", err, &out, &errs)
					}
					if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
						peak = max(peak, float64(usage.Maxrss)/1024)
					}
				}
				b.ReportMetric(peak, "peak-MiB")
			})
		}
	}
}

// million writes the same requests into a store, whose questions are kept too, and into a file.
func million(b *testing.B, requests, perRequest int) (db, file string) {
	db, file = filepath.Join(b.TempDir(), "million.db"), filepath.Join(b.TempDir(), "million.json")
	st, err := store.Open(db)
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(f)
	pipeline := otlptest.NewPipeline(1)
	for range requests {
		raw, err := proto.Marshal(pipeline.Request(perRequest))
		if err != nil {
			b.Fatal(err)
		}
		batch, err := otlp.Split(raw)
		if err != nil {
			b.Fatal(err)
		}
		if err := st.Append(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
		traces, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(raw)
		if err != nil {
			b.Fatal(err)
		}
		line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
		if err != nil {
			b.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	f.Close()
	// Whatever is not cut yet is cut by the command that is measured; let it find what it would after a while of serving.
	for range 60 {
		index.Keep(st, slog.New(slog.DiscardHandler)).Close()
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	return db, file
}
