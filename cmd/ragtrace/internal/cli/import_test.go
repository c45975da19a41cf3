package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	sources "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
)

// spansOf are the spans of a file, each once.
func spansOf(t *testing.T, path string) map[model.TraceID]map[model.SpanID]model.Span {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[model.TraceID]map[model.SpanID]model.Span{}
	for batch, err := range sources.ReadFile(f) {
		if err != nil {
			t.Fatal(err)
		}
		spans, err := batch.Decode()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range spans {
			if all[s.TraceID] == nil {
				all[s.TraceID] = map[model.SpanID]model.Span{}
			}
			if _, twice := all[s.TraceID][s.SpanID]; !twice {
				all[s.TraceID][s.SpanID] = s
			}
		}
	}
	return all
}

func saved(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What comes out of a store is what went in, and put into another it comes out the same.
func TestExportOfImportIsTheSame(t *testing.T) {
	full, err := proto.Marshal(otlptest.Full())
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../diagnose/testdata/verdict/0*.otlp.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	files = append(files, saved(t, "full.pb", full))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dir := t.TempDir()
			first, second, packed := filepath.Join(dir, "1.json"), filepath.Join(dir, "2.json"), filepath.Join(dir, "3.json.gz")
			db1, db2 := filepath.Join(dir, "1.db"), filepath.Join(dir, "2.db")
			want := spansOf(t, file)
			n := 0
			for _, spans := range want {
				n += len(spans)
			}
			out, _ := run(t, exitOK, "import", "--db", db1, file)
			if prefix := fmt.Sprintf("%s: %d spans new, ", file, n); !strings.HasPrefix(out, prefix) {
				t.Errorf("said %q, want %q", out, prefix)
			}
			run(t, exitOK, "export", "--db", db1, "-o", first)
			if diff := cmp.Diff(want, spansOf(t, first)); diff != "" {
				t.Errorf("exported (-the file +out):\n%s", diff)
			}
			out, _ = run(t, exitOK, "import", "--db", db2, first)
			if want := fmt.Sprintf("%s: %d spans new, 0 there already\n", first, n); out != want {
				t.Errorf("said %q, want %q", out, want)
			}
			out, _ = run(t, exitOK, "import", "--db", db2, first, file)
			if !strings.HasPrefix(out, fmt.Sprintf("%s: 0 spans new, %d there already\n%s: 0 spans new, ", first, n, file)) {
				t.Errorf("said %q the second time", out)
			}
			run(t, exitOK, "export", "--db", db2, "-o", second)
			run(t, exitOK, "export", "--db", db2, "-o", packed)
			a, b := readText(t, first), readText(t, second)
			if a != b {
				t.Errorf("the second store's export differs:\n%s", cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")))
			}
			if c := readText(t, packed); c != a {
				t.Error("packed it is something else")
			}
			ours, _ := run(t, exitOK, "slow", "--json", "--db", db2)
			theirs, _ := run(t, exitOK, "slow", "--json", "--from", file)
			if diff := cmp.Diff(theirs, ours); diff != "" {
				t.Errorf("slow (-of the file +of the store):\n%s", diff)
			}
		})
	}
}

// readText reads a file, unpacked when its name says that it is packed.
func readText(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Many more spans than go into one commit, some of them twice, some broken.
func TestImportOfALongFile(t *testing.T) {
	var text bytes.Buffer
	line := func(trace, span int) {
		fmt.Fprintf(&text, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x"}]}]}]}`+"\n", trace, span)
	}
	for i := range 10_000 {
		line(i/10+1, i+1)
		if i%100 == 0 {
			line(i/10+1, i+1)
		}
		if i%250 == 0 {
			text.WriteString("{\"resourceSpans\":[{\n")
		}
	}
	path := saved(t, "long.json", text.Bytes())
	db := filepath.Join(t.TempDir(), "traces.db")
	out, errs := run(t, exitFailed, "import", "--db", db, path)
	if want := path + ": 10000 spans new, 100 there already, 40 parts of the file cannot be read\n"; out != want {
		t.Errorf("said %q, want %q", out, want)
	}
	lines := strings.Split(strings.TrimSpace(errs), "\n")
	// The first is line 3: two of the first span come before.
	if len(lines) != 22 || !strings.HasPrefix(lines[0], "warning: "+path+": line 3: ") ||
		lines[20] != "warning: "+path+": more like this is counted and not told" || lines[21] != "ragtrace import: not everything could be read" {
		t.Errorf("warned\n%s", errs)
	}
	out, _ = run(t, exitOK, "export", "--db", db)
	if n := strings.Count(out, "\n"); n != 1000 {
		t.Errorf("%d lines are exported, want one for each of 1000 traces", n)
	}
}
