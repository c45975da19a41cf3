package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/setup"
)

// Our own server takes OTLP from the application and Thrift from the gateway, and has one trace.
func TestOneTraceInRagtrace(t *testing.T) {
	ragtrace := build(t, "./cmd/ragtrace")
	p := freePorts(t, 4)
	address := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", p+i) }
	db := filepath.Join(t.TempDir(), "traces.db")
	server := start(t, "http://"+address(0)+"/readyz", nil, ragtrace, "serve", "--db", db,
		"--http", address(0), "--otlp-grpc", address(1), "--otlp-http", address(2), "--jaeger-thrift", address(3))
	session := rand.Text() // questions are numbered while the process lasts, and the test may run in it again
	askTwice(t, session, address(1), address(3))
	if err := server.stop(); err != nil {
		t.Errorf("ragtrace serve ended with %v", err)
	}
	all, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(output(t, ragtrace, "export", "--db", db, "--question", session+"/2"))
	if err != nil {
		t.Fatal(err)
	}
	oneTrace(t, session, byName(all))
}

// askTwice asks two questions of a session, through the gateway as it is built and run by anyone. All spans have arrived
// when it returns: the application's by OTLP/gRPC, the gateway's by Thrift over HTTP.
func askTwice(t *testing.T, session, otlp, thrift string) {
	t.Helper()
	ollama := httptest.NewServer(warmOllama())
	defer ollama.Close()
	addr := fmt.Sprintf("127.0.0.1:%d", freePorts(t, 1))
	gateway := start(t, "http://"+addr+"/api/version", []string{
		"ADDR=" + addr,
		"OLLAMA_URL=" + ollama.URL,
		"JAEGER_ENDPOINT=http://" + thrift + "/api/traces",
	}, build(t, "./examples/legacy-gateway"))

	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+otlp)
	flush, err := setup.Start(t.Context(), "app")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{client: &http.Client{Transport: tracer.Transport(nil)}, url: "http://" + addr}
	app := httptest.NewServer(tracer.Middleware(http.HandlerFunc(w.answer)))
	defer app.Close()
	for range 2 {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, app.URL, strings.NewReader("why?"))
		req.Header.Set(tracer.HeaderSession, session)
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
}

type stored struct {
	ID, Parent string
	Kind       ptrace.SpanKind
	Attrs      map[string]any
}

// byName are spans by service and name.
func byName(all ptrace.Traces) map[string]stored {
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

// oneTrace checks that the gateway's spans stand below the application's call, and that all are of question 2 of the session.
func oneTrace(t *testing.T, session string, spans map[string]stored) {
	t.Helper()
	server, client := spans["legacy-gateway POST /api/chat"], spans["legacy-gateway POST"]
	call := spans["app chat llama3.2"]
	if server.Parent != call.ID || client.Parent != server.ID || call.ID == "" || client.ID == "" {
		t.Fatalf("the call %v, the gateway %v and its request %v are not below each other: %v", call, server, client, spans)
	}
	if server.Kind != ptrace.SpanKindServer || client.Kind != ptrace.SpanKindClient {
		t.Errorf("kinds %v and %v", server.Kind, client.Kind)
	}
	for name, s := range spans {
		if s.Attrs["session.id"] != session || s.Attrs["ragtrace.question.number"] != int64(2) {
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
