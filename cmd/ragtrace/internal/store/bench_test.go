package store_test

import (
	"path/filepath"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// BenchmarkAppend stores requests of 480 spans, one after another.
func BenchmarkAppend(b *testing.B) {
	s, err := store.Open(filepath.Join(b.TempDir(), "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	spans := 0
	for b.Loop() {
		b.StopTimer()
		batch := split(b, otlptest.Questions(40))
		b.StartTimer()
		if err := s.Append(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
		spans += len(batch.Spans)
	}
	b.ReportMetric(float64(spans)/b.Elapsed().Seconds(), "spans/s")
}
