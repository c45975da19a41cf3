package near

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	known := []string{"llm_load", "llm_queue", "embed_load", "keep_alive_expired", "app_gap"}
	for word, want := range map[string][]string{
		"llm_laod":           {"llm_load"},
		"LLM_LOAD":           {"llm_load"},
		"embed":              {"embed_load"},
		"keep_alive":         {"keep_alive_expired"},
		"keepalive_expired":  {"keep_alive_expired"},
		"load":               {"llm_load", "embed_load"},
		"x":                  {},
		"":                   {},
		"something entirely": {},
	} {
		if diff := cmp.Diff(want, Names(word, known)); diff != "" {
			t.Errorf("%q: %s", word, diff)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"same", "same", 0}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
