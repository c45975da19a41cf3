package ingest_test

import (
	"path/filepath"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start serves a new store until the test ends.
func start(t testing.TB) (*ingest.Server, *store.Store) {
	t.Helper()
	st, err := store.Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := ingest.Start(t.Context(), st, ingest.Config{GRPC: "127.0.0.1:0", HTTP: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return server, st
}

func stored(t testing.TB, st *store.Store) (spans []model.Span) {
	t.Helper()
	for trace, err := range st.Traces(t.Context(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		spans = append(spans, trace...)
	}
	return spans
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
