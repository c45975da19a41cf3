package source_test

import (
	"bytes"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
)

// BenchmarkReadFile reads requests of 480 spans.
func BenchmarkReadFile(b *testing.B) {
	protobuf := marshal(b, otlptest.Questions(40))
	traces, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(protobuf)
	if err != nil {
		b.Fatal(err)
	}
	json, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	if err != nil {
		b.Fatal(err)
	}
	for name, file := range map[string][]byte{"json": json, "protobuf": framed(protobuf)} {
		b.Run(name, func(b *testing.B) {
			spans := 0
			for b.Loop() {
				for batch, err := range source.ReadFile(bytes.NewReader(file)) {
					if err != nil {
						b.Fatal(err)
					}
					spans += len(batch.Spans)
				}
			}
			b.ReportMetric(float64(spans)/b.Elapsed().Seconds(), "spans/s")
		})
	}
}
