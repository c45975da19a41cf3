package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A report that is written question by question is the same text as one that is written at once.
func TestReportIsWrittenAsJSONWouldBe(t *testing.T) {
	before, _ := beforeAndAfter()
	read, err := readFile(t.Context(), otlpFile(t, before...), window{}, new(bytes.Buffer))
	if err != nil {
		t.Fatal(err)
	}
	full, none := read.table.Judge(nil, nil).Report(), diagnose.Judge(nil)
	for _, r := range []diagnose.Report{full, none} {
		want, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := writeReport(&got, r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want)+"\n", got.String()); diff != "" {
			t.Error(diff)
		}
	}
	if err := writeReport(fullDisk{}, full); err == nil {
		t.Error("a write error is lost")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
