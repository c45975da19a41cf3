package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	sources "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
)

func writeFile(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traces.json")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func questionsOf(t *testing.T, content []byte) []diagnose.Question {
	t.Helper()
	var warn bytes.Buffer
	r, err := readFile(t.Context(), writeFile(t, content), window{}, &warn)
	if err != nil || warn.Len() > 0 {
		t.Fatalf("%v %s", err, &warn)
	}
	// In the order of a report, as a file may be read in any.
	var ordered []diagnose.Question
	for _, q := range r.table.Judge(nil, nil).Report().Questions {
		ordered = append(ordered, *q.Question)
	}
	return ordered
}

// TestFileIsCutAsItIsRead holds no trace longer than until its last span, and gives the same questions as if it held all.
func TestFileIsCutAsItIsRead(t *testing.T) {
	before, _ := beforeAndAfter()
	content := otlpJSON(before...)
	all := fileReader{ctx: t.Context(), warn: io.Discard}
	if err := all.read(bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	if len(all.held) != len(before) || len(all.cut) != 0 {
		t.Errorf("without a census %d traces are held, %d cut early", len(all.held), len(all.cut))
	}
	counted := fileReader{ctx: t.Context(), warn: io.Discard, expected: sources.Census(bytes.NewReader(content))}
	if err := counted.read(bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	if len(counted.held) != 0 || len(counted.cut) != len(before) {
		t.Errorf("with a census %d traces are held, %d cut early", len(counted.held), len(counted.cut))
	}
	if diff := cmp.Diff(diagnose.Judge(all.questions), diagnose.Judge(counted.questions)); diff != "" {
		t.Error(diff)
	}
}

// TestFileThatIsMiscountedIsReadAgain spells a key so that counting does not see it: the trace would be cut after its first
// line, and the second comes later.
func TestFileThatIsMiscountedIsReadAgain(t *testing.T) {
	before, _ := beforeAndAfter()
	lines := bytes.SplitAfter(bytes.TrimSpace(otlpJSON(before[:3]...)), []byte("\n"))
	// The root of the first question goes to the end, in a line of its own.
	root := bytes.Index(lines[0], []byte(`{"attributes":[{"key":"ragtrace.stage","value":{"stringValue":"search"}}`))
	if root < 0 {
		t.Fatalf("no search in %s", lines[0])
	}
	start := bytes.Index(lines[0], []byte(`"spans":[`)) + len(`"spans":[`)
	moved := bytes.TrimSuffix(lines[0][start:root], []byte(","))
	hidden := bytes.ReplaceAll(slices.Concat(lines[0][:start], moved, []byte(`]}]}]}`+"\n")), []byte(`"traceId"`), []byte(`"tr\u0061ceId"`))
	rest := slices.Concat(lines[0][:start], lines[0][root:])
	whole := slices.Concat(lines[0], lines[1], lines[2])
	parted := slices.Concat(rest, lines[1], lines[2], []byte("\n"), hidden)

	r := fileReader{ctx: t.Context(), warn: io.Discard, expected: sources.Census(bytes.NewReader(parted))}
	if err := r.read(bytes.NewReader(parted)); err != errMiscounted {
		t.Fatalf("error %v, want %v", err, errMiscounted)
	}
	if diff := cmp.Diff(questionsOf(t, whole), questionsOf(t, parted)); diff != "" {
		t.Error(diff)
	}
}

func TestSpansOfATraceAreFoundInTheFile(t *testing.T) {
	before, _ := beforeAndAfter()
	path := writeFile(t, otlpJSON(before...))
	r, err := readFile(t.Context(), path, window{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	spans, err := r.spans(t.Context(), model.TraceID{15: 1})
	if err != nil || len(spans) != 6 { // question, search, llm, llm.load, llm.decode, answer
		t.Errorf("%d spans, %v", len(spans), err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.spans(t.Context(), model.TraceID{15: 1}); err == nil {
		t.Error("spans of a file that is gone")
	}
}

func TestPipeIsReadOnce(t *testing.T) {
	before, _ := beforeAndAfter()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	go func() {
		_, _ = to.Write(otlpJSON(before...))
		to.Close()
	}()
	path := fmt.Sprintf("/dev/fd/%d", from.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("no /dev/fd here")
	}
	r, err := readFile(t.Context(), path, window{}, io.Discard)
	if err != nil || r.table.Len() != len(before) {
		t.Fatalf("%v", err)
	}
	if spans, err := r.spans(t.Context(), model.TraceID{15: 1}); err != nil || len(spans) != 6 {
		t.Errorf("%d spans, %v", len(spans), err)
	}
}

func TestReadingStopsWhenItIsCancelled(t *testing.T) {
	before, _ := beforeAndAfter()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readFile(ctx, writeFile(t, otlpJSON(before...)), window{}, io.Discard); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
