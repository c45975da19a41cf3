package main

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfigTakesFlagsBeforeVariablesBeforeDefaults(t *testing.T) {
	env := map[string]string{"OLLAMA_URL": "http://gpu:11434", "CHAT_MODEL": "from-env"}
	got, err := parseConfig([]string{"-chat-model", "from-flag"}, func(k string) string { return env[k] }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := config{
		addr:       "127.0.0.1:8080",
		ollama:     "http://gpu:11434",
		weaviate:   "http://127.0.0.1:8081",
		chatModel:  "from-flag",
		embedModel: "nomic-embed-text",
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(config{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-ollama", "localhost:11434"}, "is not a URL"},
		{[]string{"-weaviate", "/v1"}, "is not a URL"},
		{[]string{"serve"}, `unexpected argument "serve"`},
		{[]string{"-model", "x"}, "not defined"},
	} {
		_, err := parseConfig(test.args, func(string) string { return "" }, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("parseConfig(%q) = %v, want an error with %q", test.args, err, test.want)
		}
	}
}
