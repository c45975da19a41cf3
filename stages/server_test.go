package stages

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServerMerge(t *testing.T) {
	a := &Server{Version: "1", Formats: map[string]string{"x": "gguf", "y": "gguf"}}
	got := a.Merge(&Server{Formats: map[string]string{"y": "safetensors"}})
	want := &Server{Version: "1", Formats: map[string]string{"x": "gguf", "y": "safetensors"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a.Formats["y"] != "gguf" {
		t.Error("what was known has changed")
	}
	if got := (*Server)(nil).Merge(a); got != a {
		t.Errorf("got %v, want what was told", got)
	}
}
