package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

const jaegerYAML = `service:
  extensions: [jaeger_storage, jaeger_query]
  pipelines:
    traces:
      receivers: [otlp, jaeger]
      exporters: [jaeger_storage_exporter]
  telemetry: {metrics: {level: none}}
extensions:
  jaeger_storage:
    backends:
      memory: {memory: {max_traces: 1000}}
  jaeger_query:
    storage: {traces: memory}
    http: {endpoint: "127.0.0.1:%d"}
    grpc: {endpoint: "127.0.0.1:%d"}
receivers:
  otlp: {protocols: {grpc: {endpoint: "127.0.0.1:%d"}}}
  jaeger: {protocols: {thrift_http: {endpoint: "127.0.0.1:%d"}}}
exporters:
  jaeger_storage_exporter: {trace_storage: memory}
`

// A real Jaeger is sent OTLP by the application and Thrift by the gateway, as it is built and run by anyone, and has one
// trace.
func TestOneTraceInJaeger(t *testing.T) {
	binary := os.Getenv("RAGTRACE_TEST_JAEGER")
	if binary == "" {
		t.Skip("RAGTRACE_TEST_JAEGER is not set: it is the path of Jaeger's binary, which .ci/peers builds")
	}
	p := freePorts(t, 4)
	settings := filepath.Join(t.TempDir(), "jaeger.yaml")
	if err := os.WriteFile(settings, fmt.Appendf(nil, jaegerYAML, p, p+1, p+2, p+3), 0o600); err != nil {
		t.Fatal(err)
	}
	query := fmt.Sprintf("http://127.0.0.1:%d", p)
	// It would trace itself, and wait for a collector at its end.
	start(t, query+"/api/v3/services", []string{"OTEL_TRACES_SAMPLER=always_off"}, binary, "--config", settings)
	since := time.Now()
	session := rand.Text() // questions are numbered while the process lasts, and the test may run in it again
	askTwice(t, session, fmt.Sprintf("127.0.0.1:%d", p+2), fmt.Sprintf("127.0.0.1:%d", p+3))

	found := search(t, query, since, map[string]string{"session.id": session, "ragtrace.question.number": "2"})
	if len(found) != 1 {
		t.Fatalf("%d traces are question 2 of the session, want 1: %v", len(found), found)
	}
	oneTrace(t, session, read(t, query, found[0]))
}

// search finds the gateway's traces by tags, which all stand on one span.
func search(t *testing.T, query string, since time.Time, tags map[string]string) (ids []string) {
	t.Helper()
	asked, err := json.Marshal(tags)
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Data []struct {
			TraceID string `json:"traceID"`
		}
	}
	parameters := url.Values{
		"service": {"legacy-gateway"}, "tags": {string(asked)}, "limit": {"20"},
		"start": {fmt.Sprint(since.UnixMicro())}, "end": {fmt.Sprint(time.Now().Add(time.Second).UnixMicro())},
	}
	if err := json.Unmarshal(get(t, query+"/api/traces?"+parameters.Encode()), &found); err != nil {
		t.Fatal(err)
	}
	for _, d := range found.Data {
		ids = append(ids, d.TraceID)
	}
	return ids
}

// read reads one trace, its spans by service and name.
func read(t *testing.T, query, id string) map[string]stored {
	t.Helper()
	var answer struct{ Result json.RawMessage }
	if err := json.Unmarshal(get(t, query+"/api/v3/traces/"+id), &answer); err != nil {
		t.Fatal(err)
	}
	all, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(answer.Result)
	if err != nil {
		t.Fatal(err)
	}
	return byName(all)
}

func get(t *testing.T, url string) []byte {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	// An unknown path is answered with status 200 and a page.
	if err != nil || resp.StatusCode != http.StatusOK || strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%s answers %s, %v: %.300s", url, resp.Status, err, body)
	}
	return body
}
