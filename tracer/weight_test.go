package tracer_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Imported as a library, the tracer costs the OpenTelemetry API and nothing else: no SDK, no exporter, no gRPC.
func TestWeight(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not there")
	}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{
		"github.com/ragtrace/ragtrace/stages",
		"github.com/ragtrace/ragtrace/tracer",
		"github.com/felixge/httpsnoop",
		"go.opentelemetry.io/otel",
		"github.com/cespare/xxhash", "github.com/go-logr", "go.opentelemetry.io/auto/sdk", // the API's own
	}
	banned := []string{"go.opentelemetry.io/otel/sdk", "go.opentelemetry.io/otel/exporters", "github.com/ragtrace/ragtrace/tracer/"}
	var n int
	for pkg := range strings.FieldsSeq(string(out)) {
		n++
		ok := below(pkg, allowed) && (!below(pkg, banned) || pkg == "github.com/ragtrace/ragtrace/tracer/attr")
		if !ok {
			t.Errorf("imports %s", pkg)
		}
	}
	if n < 10 {
		t.Errorf("only %d packages listed", n)
	}
}

func below(pkg string, roots []string) bool {
	for _, r := range roots {
		if pkg == r || strings.HasPrefix(pkg, strings.TrimSuffix(r, "/")+"/") {
			return true
		}
	}
	return false
}
