package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
)

func askWith(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Main(append([]string{"ask"}, args...), &out, &err)
	return code, out.String(), err.String()
}

func scriptedOllama(t *testing.T, script fakeserver.Script) string {
	t.Helper()
	server := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{
		Models: []fakeserver.Model{{Name: "m", Load: 20 * time.Millisecond, TokenTime: time.Millisecond}}, Script: script,
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestAsk asks, shows, records, and reads the recordings back.
func TestAsk(t *testing.T) {
	url, dir := scriptedOllama(t, nil), t.TempDir()
	prompts := filepath.Join(dir, "prompts.txt")
	if err := os.WriteFile(prompts, []byte("Why?\n\n  Who? \nWhere?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := askWith(url, "--prompts", prompts, "--session", "a", "--record", filepath.Join(dir, "rec"))
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{
		`(?m)^No --model: asking m:latest, the only one of 127\.0\.0\.1:\d+\.$`,
		`(?m)^1/3  ok, TTFT [0-9.]+ ms, E2E [0-9.]+ ms  trace [0-9a-f]{32}$`, `(?m)^3/3  ok`,
	} {
		if !regexp.MustCompile(want).MatchString(stderr) {
			t.Errorf("standard error lacks %s:\n%s", want, stderr)
		}
	}
	for _, want := range []string{`(?m)^ollama, m:latest$`, `(?m)^1 .* warm-up$`, `(?m)^ollama +m:latest +E2E +2 `, `(?m)^ollama +m:latest +TTFT +2 `} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("standard output lacks %s:\n%s", want, stdout)
		}
	}
	files, _ := filepath.Glob(dir + "/rec/a-*.json")
	if len(files) != 3 {
		t.Fatalf("recordings %v", files)
	}
	var out, errs bytes.Buffer
	if code := Main(append([]string{"timings"}, files...), &out, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	// All but the runs' names and their column's width.
	_, asked, _ := strings.Cut(stdout, "backend")
	_, read, _ := strings.Cut(out.String(), "backend")
	if diff := cmp.Diff(asked, read); diff != "" {
		t.Errorf("the recordings say something else (-asked +read):\n%s", diff)
	}
}

func TestAskAsJSON(t *testing.T) {
	url := scriptedOllama(t, nil)
	type one struct {
		TraceID string  `json:"trace_id"`
		Clock   string  `json:"clock"`
		Status  string  `json:"status"`
		TTFT    float64 `json:"ttft_ms"`
		E2E     float64 `json:"e2e_ms"`
		Model   string  `json:"model"`
	}
	code, stdout, stderr := askWith(url+"/api/generate", "--model", "m", "--prompt", "Why?", "--json")
	var single one
	if err := json.Unmarshal([]byte(stdout), &single); err != nil || code != exitOK {
		t.Fatalf("%v, %s%s", err, stdout, stderr)
	}
	if len(single.TraceID) != 32 || single.Clock != "client" || single.Status != "ok" || single.TTFT <= 0 || single.E2E <= single.TTFT || single.Model != "m" {
		t.Errorf("%+v", single)
	}
	code, stdout, stderr = askWith(url, "--prompt", "Why?", "--json", "-n", "2", "--concurrency", "2", "--idle", "1ms")
	var several []one
	if err := json.Unmarshal([]byte(stdout), &several); err != nil || code != exitOK || len(several) != 2 {
		t.Errorf("%v, %d of %s%s", err, len(several), stdout, stderr)
	}
}

// TestAskFailures: some that fail are counted apart; when all do, so does the command.
func TestAskFailures(t *testing.T) {
	url := scriptedOllama(t, func(n int, _ *http.Request, _ []byte) fakeserver.Fault {
		if n == 2 {
			return fakeserver.Fault{Status: 503, Body: `{"error":"server busy"}`}
		}
		return fakeserver.Fault{}
	})
	code, stdout, stderr := askWith(url+"/api/chat", "--model", "m", "--prompt", "Why?", "-n", "4")
	if code != exitOK || !strings.Contains(stdout, "Failed, and left out: 1 run.") || !strings.Contains(stderr, "2/4  error: HTTP 503, server busy") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = askWith(url+"/api/chat", "--model", "none", "--prompt", "Why?", "-n", "2")
	if code != exitFailed || !strings.Contains(stderr, "ragtrace ask: no question was answered: HTTP 404, model 'none' not found") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	code, _, stderr = askWith("http://127.0.0.1:1/ask", "--prompt", "Why?")
	if code != exitFailed || !strings.Contains(stderr, "connection refused") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestAskIsRefused(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "an argument is missing: ragtrace ask wants URL"},
		{"http://h/ask", exitUsage, "pass --prompt TEXT or --prompts FILE"},
		{"http://h/ask --prompt a --prompts b", exitUsage, "said twice"},
		{"http://h/ask --prompt a --model m --body {}", exitUsage, "--model is for"},
		{"ftp://h/ask --prompt a", exitUsage, "is not a URL like http://127.0.0.1:8080/ask"},
		{"http://h/ask --prompt a -n 0", exitUsage, "must be above zero"},
		{"http://h/ask --prompt a --content", exitUsage, "--record"},
		{"http://h/ask --prompt a --body {}", exitUsage, "{{prompt}}"},
		{"http://h/ask --prompt a --body @" + dir + "/none", exitFailed, "no such file"},
		{"http://h/ask --prompts " + empty, exitFailed, "has no prompts"},
		{"http://h/ask --prompts " + dir + "/none", exitFailed, "no such file"},
		{"http://h/ask --prompt a --record " + empty, exitFailed, "making the directory for recordings"},
	} {
		code, stdout, stderr := askWith(strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("ask %s: exit code %d, %q; want %d and %q", c.args, code, stderr, c.code, c.want)
		}
	}
}

// TestAskInterrupted shows what there is.
func TestAskInterrupted(t *testing.T) {
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else the server would not see the client leave
		if n++; n == 3 {
			syscall.Kill(os.Getpid(), syscall.SIGINT)
			<-r.Context().Done()
			return
		}
		io.WriteString(w, `{"answer":"yes"}`)
	}))
	defer server.Close()
	code, stdout, stderr := askWith(server.URL+"/ask", "--prompt", "Why?", "-n", "9")
	if code != exitFailed || !strings.Contains(stderr, "ragtrace ask: interrupted: 2 of 9 questions were answered") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(stdout, "cancelled: interrupted") || !regexp.MustCompile(`(?m)^/ask +- +E2E +1 `).MatchString(stdout) {
		t.Errorf("standard output:\n%s", stdout)
	}
}
