package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ragtrace": func() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the command line as its users do: a file of testdata/script is a test. Each finds before.json and
// after.json, which beforeAndAfter describes.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_DATA_HOME", e.WorkDir+"/data")
			e.Setenv("LC_ALL", "C.UTF-8")
			e.Setenv("COLUMNS", "80")
			before, after := beforeAndAfter()
			return errors.Join(
				os.WriteFile(filepath.Join(e.WorkDir, "before.json"), otlpJSON(before...), 0o666),
				os.WriteFile(filepath.Join(e.WorkDir, "after.json"), otlpJSON(after...), 0o666),
			)
		},
	})
}
