package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that breaks off is read as far as it goes, and whoever asks is told at the end: no check of it passes.
func TestAPartOfAFileIsNoSuccess(t *testing.T) {
	before, _ := beforeAndAfter()
	whole := otlpJSON(before...)
	path := filepath.Join(t.TempDir(), "cut.json")
	if err := os.WriteFile(path, whole[:len(whole)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"slow"}, {"slow", "--json"}, {"stats"}, {"stats", "--json"}, {"show", "slowest"}, {"compare", "1", "2"}, {"check", "count() >= 1"},
		{"check", "count() >= 1", "--json"},
	} {
		out, errs := run(t, exitFailed, append(args, "--from", path)...)
		if out == "" || !strings.Contains(errs, "warning: "+path+": line 7: ") ||
			!strings.HasSuffix(errs, "\nragtrace "+args[0]+": a part of it could not be read, see the warnings: this is the answer without that part\n") {
			t.Errorf("%v: wrote %d bytes and said %q", args, len(out), errs)
		}
		if strings.Contains(out, `"pass": true,\n  "checks"`) {
			t.Errorf("%v passes:\n%s", args, out)
		}
	}
	if out, errs := run(t, exitFailed, "compare", path, otlpFile(t, before...)); out == "" || !strings.Contains(errs, "a part of it could not be read") {
		t.Errorf("compare of two files wrote %d bytes and said %q", len(out), errs)
	}
}
