package store_test

import (
	"path/filepath"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func split(t testing.TB, request proto.Message) *otlp.Batch {
	t.Helper()
	raw, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := otlp.Split(raw)
	if err != nil {
		t.Fatal(err)
	}
	return batch
}

// open opens a store at path until the test ends; without a path a new one.
func open(t testing.TB, path string) *store.Store {
	t.Helper()
	if path == "" {
		path = filepath.Join(t.TempDir(), "test.db")
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func appendTo(t testing.TB, s *store.Store, request proto.Message) {
	t.Helper()
	if err := s.Append(t.Context(), split(t, request)); err != nil {
		t.Fatal(err)
	}
}

func traces(t testing.TB, s *store.Store, f store.Filter) [][]model.Span {
	t.Helper()
	var all [][]model.Span
	for spans, err := range s.Traces(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, spans)
	}
	return all
}
