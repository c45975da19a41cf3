package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/setup"
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
	p := freePorts(t, 5)
	settings := filepath.Join(t.TempDir(), "jaeger.yaml")
	if err := os.WriteFile(settings, fmt.Appendf(nil, jaegerYAML, p, p+1, p+2, p+3), 0o600); err != nil {
		t.Fatal(err)
	}
	query := fmt.Sprintf("http://127.0.0.1:%d", p)
	// It would trace itself, and wait for a collector at its end.
	start(t, query+"/api/v3/services", []string{"OTEL_TRACES_SAMPLER=always_off"}, binary, "--config", settings)
	ollama := httptest.NewServer(warmOllama())
	defer ollama.Close()
	addr := fmt.Sprintf("127.0.0.1:%d", p+4)
	gateway := start(t, "http://"+addr+"/api/version", []string{
		"ADDR=" + addr,
		"OLLAMA_URL=" + ollama.URL,
		fmt.Sprintf("JAEGER_ENDPOINT=http://127.0.0.1:%d/api/traces", p+3),
	}, build(t, "./examples/legacy-gateway"))

	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", fmt.Sprintf("http://127.0.0.1:%d", p+2))
	flush, err := setup.Start(t.Context(), "app")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{client: &http.Client{Transport: tracer.Transport(nil)}, url: "http://" + addr}
	app := httptest.NewServer(tracer.Middleware(http.HandlerFunc(w.answer)))
	defer app.Close()
	since := time.Now()
	for range 2 {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, app.URL, strings.NewReader("why?"))
		req.Header.Set(tracer.HeaderSession, "jaeger")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(body), `"done":true`) {
			t.Fatalf("answered %s %s, %v", resp.Status, body, err)
		}
	}
	if err := flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := gateway.stop(); err != nil {
		t.Errorf("the gateway ended with %v", err)
	}

	found := search(t, query, since, map[string]string{"session.id": "jaeger", "ragtrace.question.number": "2"})
	if len(found) != 1 {
		t.Fatalf("%d traces are question 2 of the session, want 1: %v", len(found), found)
	}
	spans := read(t, query, found[0])
	server, client := spans["legacy-gateway POST /api/chat"], spans["legacy-gateway POST"]
	call := spans["app chat llama3.2"]
	if server.Parent != call.ID || client.Parent != server.ID || call.ID == "" || client.ID == "" {
		t.Fatalf("the call %v, the gateway %v and its request %v are not below each other: %v", call, server, client, spans)
	}
	if server.Kind != ptrace.SpanKindServer || client.Kind != ptrace.SpanKindClient {
		t.Errorf("kinds %v and %v", server.Kind, client.Kind)
	}
	for name, s := range spans {
		if s.Attrs["session.id"] != "jaeger" || s.Attrs["ragtrace.question.number"] != int64(2) {
			t.Errorf("%s is question %v of session %v", name, s.Attrs["ragtrace.question.number"], s.Attrs["session.id"])
		}
	}
	got := map[string]any{}
	for _, key := range []string{"ragtrace.stage", "ragtrace.inside_llm", "http.status_code"} {
		got[key] = server.Attrs[key]
	}
	if diff := cmp.Diff(map[string]any{"ragtrace.stage": "gateway", "ragtrace.inside_llm": false, "http.status_code": int64(200)}, got); diff != "" {
		t.Errorf("the gateway's attributes (-want +got):\n%s", diff)
	}
}

type stored struct {
	ID, Parent string
	Kind       ptrace.SpanKind
	Attrs      map[string]any
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
	spans := make(map[string]stored)
	for _, rs := range all.ResourceSpans().All() {
		service, _ := rs.Resource().Attributes().Get("service.name")
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				parent := ""
				if s.ParentSpanID() != (pcommon.SpanID{}) {
					parent = s.ParentSpanID().String()
				}
				spans[service.Str()+" "+s.Name()] = stored{s.SpanID().String(), parent, s.Kind(), s.Attributes().AsRaw()}
			}
		}
	}
	return spans
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
