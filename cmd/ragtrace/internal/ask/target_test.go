package ask

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBodies: what each path is sent.
func TestBodies(t *testing.T) {
	for url, want := range map[string]string{
		"http://h/api/chat":            `{"messages":[{"content":"a \"b\" <c>","role":"user"}],"model":"m","stream":true}`,
		"h:11434/":                     `{"messages":[{"content":"a \"b\" <c>","role":"user"}],"model":"m","stream":true}`,
		"http://h/proxy/api/generate":  `{"model":"m","prompt":"a \"b\" <c>","stream":true}`,
		"http://h/v1/chat/completions": `{"messages":[{"content":"a \"b\" <c>","role":"user"}],"model":"m","stream":true,"stream_options":{"include_usage":true}}`,
		"http://h/v1/completions":      `{"model":"m","prompt":"a \"b\" <c>","stream":true,"stream_options":{"include_usage":true}}`,
		"http://h/v1/responses":        `{"input":"a \"b\" <c>","model":"m","stream":true}`,
		"http://h/completion":          `{"prompt":"a \"b\" <c>","stream":true}`,
		"https://h/ask?lang=en":        `{"question":"a \"b\" <c>"}`,
	} {
		to, err := Resolve(t.Context(), url, "m", "")
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		got, err := to.body(`a "b" <c>`)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", url, err, diff)
		}
	}
}

func TestTemplates(t *testing.T) {
	to, err := Resolve(t.Context(), "http://h/api/chat", "", `{"q": "Say: {{prompt}}", "again": ["{{prompt}}"]}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := to.body("a \"b\"\n\\"); err != nil || got != `{"q": "Say: a \"b\"\n\\", "again": ["a \"b\"\n\\"]}` {
		t.Errorf("%s, %v", got, err)
	}
	for template, want := range map[string]string{
		`{"q": "a"}`:        "--body has no {{prompt}} in it",
		`{"q": {{prompt}}}`: "--body is not JSON once {{prompt}} is replaced",
	} {
		_, err := Resolve(t.Context(), "http://h/", "", template)
		if _, refused := errors.AsType[UsageError](err); !refused || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", template, err, want)
		}
	}
	for _, url := range []string{"", "ftp://h/x", "http://", "://"} {
		_, err := Resolve(t.Context(), url, "", "")
		if _, refused := errors.AsType[UsageError](err); !refused {
			t.Errorf("%q: %v, want it refused", url, err)
		}
	}
}

// TestModelIsChosen: the first that answers, of what the server has.
func TestModelIsChosen(t *testing.T) {
	has := http.NewServeMux()
	has.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"models":[{"name":"bge"},{"name":"m:1b"},{"name":"n"}]}`)
	})
	has.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "bge") {
			io.WriteString(w, `{"capabilities":["embedding"]}`)
			return
		}
		io.WriteString(w, `{"capabilities":["completion","tools"]}`)
	})
	has.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"object":"list","data":[{"id":"only"}]}`)
	})
	has.HandleFunc("GET /empty/api/tags", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"models":[]}`) })
	has.HandleFunc("GET /html/api/tags", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `<html>`) })
	server := httptest.NewServer(has)
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for path, want := range map[string][2]string{
		"":                     {"m:1b", "No --model: asking m:1b, the first of 3 of " + host + "."},
		"/api/generate":        {"m:1b", "No --model: asking m:1b, the first of 3 of " + host + "."},
		"/v1/chat/completions": {"only", "No --model: asking only, the only one of " + host + "."},
		"/v1/responses":        {"only", "No --model: asking only, the only one of " + host + "."},
		"/completion":          {"", ""},
		"/ask":                 {"", ""},
	} {
		to, err := Resolve(t.Context(), server.URL+path, "", "")
		if err != nil || to.Model != want[0] || to.Note != want[1] {
			t.Errorf("%s: %+v, %v, want %v", path, to, err, want)
		}
	}
	for path, want := range map[string]string{
		"/other/api/chat": "GET /other/api/tags: 404 Not Found (name one with --model; if this is an application of your own, say with --body",
		"/empty/api/chat": host + " has no model that answers",
		"/html/api/chat":  "asking for the models of " + host + ": invalid character '<'",
	} {
		if _, err := Resolve(t.Context(), server.URL+path, "", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
