package index

import (
	"path/filepath"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB) *store.Store {
	t.Helper()
	st, err := store.Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func appendTo(t testing.TB, st *store.Store, request proto.Message) {
	t.Helper()
	raw, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := otlp.Split(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

func questions(t testing.TB, st *store.Store) []diagnose.Question {
	t.Helper()
	all, err := Read(t.Context(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all.Questions()
}
