package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/stages/fakeserver"
	"go.opentelemetry.io/otel"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestTheThreeLinesTraceAQuestion(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)))
	ollama := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{Models: []fakeserver.Model{
		{Name: "llama3.2:1b", Answer: func(prompt string) string { return "You asked: " + prompt }},
	}}))
	defer ollama.Close()

	status, answer := post(t, handler(ollama.URL, "llama3.2:1b"))
	if status != http.StatusOK || answer != "You asked: Why is the sky blue?" {
		t.Errorf("got %d %q", status, answer)
	}

	got := make(map[string]string) // stage: the stage above
	ids := make(map[string]string)
	for _, s := range spans.Ended() {
		ids[s.SpanContext().SpanID().String()] = stageOf(s)
	}
	for _, s := range spans.Ended() {
		got[stageOf(s)] = ids[s.Parent().SpanID().String()]
	}
	for _, phase := range []string{"connect", "llm.queue", "llm.load", "llm.prefill", "llm.decode", "llm.other"} {
		delete(got, phase)
	}
	want := map[string]string{"question": "", "llm": "question", "answer": "question"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stages and what they are below (-want +got):\n%s", diff)
	}
}

func stageOf(s sdk.ReadOnlySpan) string {
	for _, a := range s.Attributes() {
		if a.Key == "ragtrace.stage" {
			return a.Value.AsString()
		}
	}
	return ""
}

func TestWithoutOllamaTheAnswerSaysWhatToDo(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	status, answer := post(t, handler(gone.URL, "llama3.2:1b"))
	if status != http.StatusBadGateway || !strings.Contains(answer, "ollama serve") {
		t.Errorf("got %d %q", status, answer)
	}
}

func TestAModelThatIsMissingIsNamed(t *testing.T) {
	ollama := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{}))
	defer ollama.Close()
	status, answer := post(t, handler(ollama.URL, "llama3.2:1b"))
	if status != http.StatusBadGateway || !strings.Contains(answer, "llama3.2:1b") {
		t.Errorf("got %d %q", status, answer)
	}
}

func TestHalfAnAnswerIsNoAnswer(t *testing.T) {
	ollama := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{
		Models: []fakeserver.Model{{Name: "llama3.2:1b"}},
		Script: func(int, *http.Request, []byte) fakeserver.Fault { return fakeserver.Fault{AfterLines: 2, Cut: true} },
	}))
	defer ollama.Close()
	server := httptest.NewServer(handler(ollama.URL, "llama3.2:1b"))
	defer server.Close()
	resp, err := http.Post(server.URL, "text/plain", strings.NewReader("Why is the sky blue?"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, err := io.ReadAll(resp.Body); len(answer) == 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v; want the beginning and then an error", answer, err)
	}
}

func post(t *testing.T, h http.Handler) (int, string) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	resp, err := http.Post(server.URL, "text/plain", strings.NewReader("Why is the sky blue?"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}
