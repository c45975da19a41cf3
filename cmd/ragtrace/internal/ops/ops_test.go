package ops

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"google.golang.org/protobuf/proto"
)

func start(t *testing.T) (*Ops, *ingest.Server) {
	t.Helper()
	st, err := store.Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	server, err := ingest.Start(t.Context(), st, ingest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return New(st, server, slog.New(slog.DiscardHandler)), server
}

func get(handler http.HandlerFunc) (int, string) {
	w := httptest.NewRecorder()
	handler(w, httptest.NewRequest("GET", "/", nil))
	return w.Code, w.Body.String()
}

func send(t *testing.T, server *ingest.Server, body []byte) int {
	t.Helper()
	r := httptest.NewRequest("POST", "/v1/traces", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/x-protobuf")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	return w.Code
}

func TestMetrics(t *testing.T) {
	o, server := start(t)
	request := otlptest.Questions(2)
	request.ResourceSpans[0].ScopeSpans[0].Spans[3].SpanId = nil
	raw, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	send(t, server, raw)
	send(t, server, raw[:20])
	code, body := get(o.Metrics)
	if code != 200 {
		t.Fatalf("%d: %s", code, body)
	}
	for _, want := range []string{
		"# TYPE ragtrace_spans_accepted_total counter",
		"ragtrace_spans_accepted_total 23",
		`ragtrace_spans_refused_total{reason="span id is not 8 bytes or is zero"} 1`,
		`ragtrace_requests_total{outcome="accepted"} 1`,
		`ragtrace_requests_total{outcome="unreadable"} 1`,
		`ragtrace_requests_total{outcome="told_to_wait"} 0`,
		"ragtrace_queue_requests 0",
		"ragtrace_receiving_bytes 0",
		`ragtrace_commit_duration_seconds_bucket{le="0.001"} \d`,
		`ragtrace_commit_duration_seconds_bucket{le="+Inf"} 1`,
		"ragtrace_commit_duration_seconds_count 1",
		"ragtrace_commits_failed_total 0",
		"ragtrace_traces_behind 2",
		`ragtrace_store_bytes{part="file"} \d+`,
		`ragtrace_store_bytes{part="log"} \d+`,
	} {
		pattern := strings.NewReplacer("{", `\{`, "}", `\}`, "+Inf", `\+Inf`).Replace(want)
		if !regexp.MustCompile("(?m)^" + pattern + "$").MatchString(body) {
			t.Errorf("no line %s", want)
		}
	}
	// Every line is a comment or a name, labels and a number.
	for line := range strings.Lines(body) {
		if !regexp.MustCompile(`^(# (HELP|TYPE) ragtrace_[a-z_]+ .+|ragtrace_[a-z_]+(\{[a-z]+="[^"]*"\})? [0-9.e+-]+)\n$`).MatchString(line) {
			t.Errorf("line %q", line)
		}
	}
	if t.Failed() {
		t.Log(body)
	}
}

func TestLabelsAreEscaped(t *testing.T) {
	if got, want := label("x", "a\"b\\c\nd"), `{x="a\"b\\c\nd"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestHealthAndReadiness(t *testing.T) {
	o, _ := start(t)
	if code, body := get(o.Health); code != 200 || body != "ok\n" {
		t.Errorf("health is %d %q", code, body)
	}
	if code, body := get(o.Ready); code != 200 || body != "ready\n" {
		t.Errorf("readiness is %d %q", code, body)
	}
	o.Closing()
	if code, _ := get(o.Ready); code != 503 {
		t.Errorf("readiness while closing is %d", code)
	}
	if code, _ := get(o.Health); code != 200 {
		t.Errorf("health while closing is %d", code)
	}
}
