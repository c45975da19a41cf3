//go:build unix

package endtoend

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer"
)

// A rag is a small RAG service: it embeds a question, finds passages, and streams what the chat model says. It is traced
// like any other, and its spans go to an OTLP receiver. Its chat model is named chatter, the other embedder.
type rag struct {
	url    string
	ollama string
	client *http.Client
	server *httptest.Server
	spans  *sdk.TracerProvider
}

// A question is what a user asks, and what this service is told to do for it. Zero values leave it to Ollama.
type question struct {
	Text      string
	Passages  int    // found by the search; each is 20 tokens of the prompt
	Tokens    int    // of the answer
	Context   int    // num_ctx
	KeepAlive string // of the chat model
	Report    bool   // one of another pipeline, whose questions are compared with each other
}

func startRAG(t *testing.T, ollama, otlp, service string) *rag {
	t.Helper()
	exporter, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(otlp), otlptracegrpc.WithInsecure())
	if err != nil {
		t.Fatal(err)
	}
	a := &rag{ollama: ollama, spans: sdk.NewTracerProvider(sdk.WithBatcher(exporter),
		sdk.WithResource(resource.NewSchemaless(semconv.ServiceName(service))))}
	provider := tracer.WithTracerProvider(a.spans)
	a.client = &http.Client{Transport: tracer.Transport(http.DefaultTransport.(*http.Transport).Clone(), provider)}
	mux := http.NewServeMux()
	mux.Handle("/ask", tracer.Middleware(http.HandlerFunc(a.answer), provider))
	mux.Handle("/report", tracer.Middleware(http.HandlerFunc(a.answer), provider, tracer.WithPipeline("report")))
	a.server = httptest.NewServer(mux)
	a.url = a.server.URL
	return a
}

// stop waits for the last question and for its spans to be received.
func (a *rag) stop(t *testing.T) {
	t.Helper()
	a.server.Close()
	a.client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := a.spans.Shutdown(ctx); err != nil {
		t.Fatalf("the spans were not received: %v", err)
	}
}

func (a *rag) answer(w http.ResponseWriter, r *http.Request) {
	var q question
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := a.call(r.Context(), "/api/embed", map[string]any{"model": "embedder", "input": q.Text}, io.Discard); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_, searching := tracer.Stage(r.Context(), stages.Search)
	passages := strings.Repeat(" what will you do when the first of them said that it is not so good for us now and you", q.Passages)
	searching.Hits(q.Passages)
	searching.End(nil)

	options := make(map[string]any)
	if q.Tokens > 0 {
		options["num_predict"] = q.Tokens
	}
	if q.Context > 0 {
		options["num_ctx"] = q.Context
	}
	chat := map[string]any{
		"model":    "chatter",
		"messages": []map[string]string{{"role": "user", "content": q.Text + passages}},
		"options":  options,
	}
	if q.KeepAlive != "" {
		chat["keep_alive"] = q.KeepAlive
	}
	if err := a.call(r.Context(), "/api/chat", chat, flushed{w}); err != nil && r.Context().Err() == nil {
		panic(http.ErrAbortHandler) // the client must not take it for the whole answer
	}
}

// call passes the answer of Ollama on as it comes.
func (a *rag) call(ctx context.Context, path string, body any, to io.Writer) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.ollama+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", path, resp.Status)
	}
	_, err = io.Copy(to, resp.Body)
	return err
}

type flushed struct{ w http.ResponseWriter }

func (f flushed) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	if err == nil {
		err = http.NewResponseController(f.w).Flush()
	}
	return n, err
}

// ask asks a question; firstByte, unless it is nil, is closed when the answer begins.
func (a *rag) ask(ctx context.Context, session string, q question, firstByte chan<- struct{}) error {
	b, err := json.Marshal(q)
	if err != nil {
		return err
	}
	path := "/ask"
	if q.Report {
		path = "/report"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set(tracer.HeaderSession, session)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if firstByte != nil {
		close(firstByte)
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte(`"done":true`)) {
		return fmt.Errorf("the answer is %s %.200q", resp.Status, answer)
	}
	return nil
}
