package opentracing

import (
	"os/exec"
	"strings"
	"testing"
)

// A program that joins gets neither an SDK nor gRPC with it.
func TestWeight(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not there")
	}
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for pkg := range strings.FieldsSeq(string(out)) {
		found = found || pkg == "github.com/uber/jaeger-client-go"
		for _, banned := range []string{"go.opentelemetry.io/otel/sdk", "go.opentelemetry.io/otel/exporters", "google.golang.org/"} {
			if strings.HasPrefix(pkg, banned) {
				t.Errorf("imports %s", pkg)
			}
		}
	}
	if !found {
		t.Error("jaeger-client-go is not listed")
	}
}
