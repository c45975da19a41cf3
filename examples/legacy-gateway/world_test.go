package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uber/jaeger-client-go"
	jaegerconfig "github.com/uber/jaeger-client-go/config"
	"go.opentelemetry.io/otel/propagation"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/opentracing"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// A world is an application, the gateway and an Ollama, connected in memory inside a synctest bubble. The application is
// traced by package tracer, the gateway by jaeger-client-go.
type world struct {
	app     *tracertest.Recorder
	legacy  *jaeger.InMemoryReporter
	gateway *gateway
	client  *http.Client // the application's
	url     string       // of the gateway, for the application
	handler http.Handler // the application: it asks Ollama by the gateway, and answers what that says
}

func newWorld(t *testing.T, ollama http.Handler, limit int) *world {
	w := &world{app: tracertest.New(t), legacy: jaeger.NewInMemoryReporter(), url: "http://gateway"}
	c := jaegerconfig.Configuration{ServiceName: "legacy-gateway", Sampler: &jaegerconfig.SamplerConfig{Type: jaeger.SamplerTypeConst, Param: 1}}
	legacy, closer, err := c.NewTracer(append(opentracing.Options(), jaegerconfig.Reporter(w.legacy))...)
	if err != nil {
		t.Fatal(err)
	}
	upstream, stopOllama := serve(ollama)
	w.gateway = newGateway(legacy, &url.URL{Scheme: "http", Host: "ollama"}, limit, upstream)
	base, stopGateway := serve(w.gateway)
	t.Cleanup(func() {
		stopGateway()
		stopOllama()
		synctest.Wait()
		closer.Close()
	})
	opts := []tracer.Option{
		tracer.WithTracerProvider(w.app.TracerProvider()),
		tracer.WithPropagators(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})),
	}
	w.client = &http.Client{Transport: tracer.Transport(base, opts...)}
	w.handler = tracer.Middleware(http.HandlerFunc(w.answer), opts...)
	return w
}

// serve serves h in memory; the transport reaches it whatever the host.
func serve(h http.Handler) (base *http.Transport, stop func()) {
	listener, dial := fakeserver.Listen()
	server := &http.Server{Handler: h}
	go server.Serve(listener)
	base = &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return dial(ctx, network, addr)
	}}
	return base, func() {
		base.CloseIdleConnections()
		server.Close()
	}
}

func (w *world) answer(rw http.ResponseWriter, r *http.Request) {
	body, _ := json.Marshal(map[string]any{"model": "llama3.2", "messages": []map[string]string{{"role": "user", "content": "why?"}}})
	req, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, w.url+"/api/chat", bytes.NewReader(body))
	resp, err := w.client.Do(req)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	rw.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(rw, resp.Body)
}

// ask asks the application one question.
func (w *world) ask(session string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/ask", strings.NewReader("why?"))
	r.Header.Set(tracer.HeaderSession, session)
	rw := httptest.NewRecorder()
	w.handler.ServeHTTP(rw, r)
	synctest.Wait() // the gateway's spans end after the answer's last byte
	return rw
}

// spans are the gateway's, by name.
func (w *world) spans(t *testing.T, name string) []*jaeger.Span {
	t.Helper()
	var named []*jaeger.Span
	for _, s := range w.legacy.GetSpans() {
		if s := s.(*jaeger.Span); s.OperationName() == name {
			named = append(named, s)
		}
	}
	return named
}

// warmOllama needs 100 ms for an answer of five words and the end.
func warmOllama() *fakeserver.Ollama {
	return fakeserver.NewOllama(fakeserver.OllamaConfig{Models: []fakeserver.Model{{
		Name: "llama3.2", Prefill: 50 * time.Millisecond, TokenTime: 10 * time.Millisecond,
		Answer: func(string) string { return "one two three four five" },
	}}})
}
