package compose

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScaleRunsTheVersionsThatTheTestsRun(t *testing.T) {
	file, err := parseYAML(read(t, "scale/compose.yaml"))
	if err != nil {
		t.Fatalf("scale/compose.yaml: %v", err)
	}
	const tailSampling = "github.com/open-telemetry/opentelemetry-collector-contrib/processor/tailsamplingprocessor"
	want := map[string]string{
		"collector": "otel/opentelemetry-collector-contrib:" + required(t, "collector", tailSampling)[1:],
		"jaeger":    "jaegertracing/jaeger:" + jaegerReleases[required(t, "jaeger", "github.com/jaegertracing/jaeger")],
		"cassandra": "cassandra:5.0",
	}
	got := make(map[string]string)
	for name, s := range file["services"].(map[string]any) {
		service := s.(map[string]any)
		got[name] = service["image"].(string)
		for _, m := range service["volumes"].([]any) {
			path, inside, _ := strings.Cut(strings.TrimSuffix(m.(string), ":ro"), ":")
			if !strings.HasPrefix(path, "./") {
				continue
			}
			if _, err := os.Stat("scale/" + path); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if args := service["command"].([]any); !cmp.Equal(args, []any{"--config=" + inside}) {
				t.Errorf("%s is started with %v and has its file at %s", name, args, inside)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("images (-go.mod files in .ci +scale/compose.yaml):\n%s", diff)
	}
}
