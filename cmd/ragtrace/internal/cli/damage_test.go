package cli

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"google.golang.org/protobuf/proto"
)

// Of five questions one cannot be unpacked. slow names its trace and answers from the others; what helps is what it says.
func TestADamagedTraceIsNamedAndTheRestIsRead(t *testing.T) {
	dir := t.TempDir()
	path, saved, mended := filepath.Join(dir, "bad.db"), filepath.Join(dir, "rest.json.gz"), filepath.Join(dir, "new.db")
	st, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(otlptest.Questions(5))
	if err != nil {
		t.Fatal(err)
	}
	batch, err := otlp.Split(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(st.Append(t.Context(), batch), st.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	var bad string
	err = db.QueryRow("SELECT lower(hex(trace_id)) FROM trace WHERE id = 3").Scan(&bad)
	_, set := db.Exec("UPDATE chunk SET data = substr(data, 1, length(data) - 1) WHERE id >> 24 = 3")
	if err := errors.Join(err, set, db.Close()); err != nil {
		t.Fatal(err)
	}

	answer, warning := run(t, exitFailed, "slow", "--json", "--db", path)
	if n := strings.Count(answer, `"trace_id"`); n < 4 || strings.Contains(answer, bad) {
		t.Errorf("%d questions, want the other four:\n%s", n, answer)
	}
	for _, part := range []string{"warning: ", path, bad, "the file is damaged", "ragtrace export", "ragtrace import", "\nragtrace slow: a part of it could not be read, see the warnings"} {
		if !strings.Contains(warning, part) {
			t.Errorf("no %q in the warning %q", part, warning)
		}
	}
	if _, said := run(t, 1, "export", "--db", path, "-o", saved); !strings.Contains(said, bad) {
		t.Errorf("export says %q, want the trace that is left out", said)
	}
	run(t, 0, "import", "--db", mended, saved)
	again, quiet := run(t, 0, "slow", "--json", "--db", mended)
	if again != answer || quiet != "" {
		t.Errorf("the mended store answers, with warning %q:\n%s\nwant\n%s", quiet, again, answer)
	}
}
