package ollama

import "testing"

func TestSemanticsOf(t *testing.T) {
	first, uncached, last := Semantics{FirstTokenInDecode: true}, Semantics{PromptUncached: true}, Semantics{PromptLastBatch: true}
	for _, tt := range []struct {
		version, format string
		want            Semantics
	}{
		{"", "", Semantics{}},
		{"0.0.0", "gguf", Semantics{}},
		{"0.6.5", "gguf", Semantics{}},
		{"0.12.4", "gguf", Semantics{}},
		{"0.12.5", "gguf", last},
		{"v0.12.6", "", last},
		{"0.12.6-rc1", "", last},
		{"0.12.7", "gguf", Semantics{}},
		{"0.17.4", "safetensors", Semantics{}},
		{"0.30.0", "gguf", uncached},
		{"0.30.1", "gguf", Semantics{}},
		{"0.34.0", "gguf", Semantics{}},
		{"0.34.0", "safetensors", first},
		{"0.0.0", "safetensors", first},
		{"", "safetensors", first},
		{"1.0.0", "safetensors", first},
		{"nightly", "", Semantics{}},
		{"0.12", "", Semantics{}},
		{"0.-12.5", "", Semantics{}},
	} {
		if got := SemanticsOf(tt.version, tt.format); got != tt.want {
			t.Errorf("%q, %q: %+v, want %+v", tt.version, tt.format, got, tt.want)
		}
	}
}
