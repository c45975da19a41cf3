package compose

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestReadmeAgrees(t *testing.T) {
	readme := read(t, "../README.md")
	compose := read(t, "compose.yaml")
	if want := "docker compose -f compose/compose.yaml up"; !strings.Contains(readme, want) {
		t.Errorf("the README does not say %q", want)
	}
	for _, name := range []string{"jaeger", "ragtrace", "ragapp"} {
		mapping := services(t)[name]["ports"].([]any)[0].(string)
		address := strings.Join(strings.Split(mapping, ":")[:2], ":")
		if !strings.Contains(readme, "http://"+address) {
			t.Errorf("the README does not say that %s is at http://%s", name, address)
		}
	}
	for _, image := range regexp.MustCompile(`(jaegertracing/jaeger|ollama/ollama|semitechnologies/weaviate):[\w.-]+`).FindAllString(readme, -1) {
		if !strings.Contains(compose, image) {
			t.Errorf("the README names %s, compose.yaml does not", image)
		}
	}
	for _, m := range regexp.MustCompile(`ollama pull ([\w.:-]+)`).FindAllStringSubmatch(readme, -1) {
		if !strings.Contains(compose, fmt.Sprintf("%q", m[1])) {
			t.Errorf("the README pulls the model %s, compose.yaml does not", m[1])
		}
	}
}
