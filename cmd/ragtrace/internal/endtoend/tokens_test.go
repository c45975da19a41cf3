//go:build unix

package endtoend

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/ragtrace/ragtrace/tracer"
)

// The time to the first token and to the end, as the tracer tells them, are what the socket saw, cold and warm.
func TestFirstTokenAndEndAsTheSocketSeesThem(t *testing.T) {
	const tolerance = 5 * time.Millisecond
	ollama := startOllama(t)
	createModel(t, ollama, "chatter", 1)
	tap := startTap(t, ollama)
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	client := &http.Client{Transport: tracer.Transport(nil, tracer.WithTracerProvider(provider))}
	t.Cleanup(client.CloseIdleConnections)

	for i, call := range []struct{ path, body string }{
		{"/api/generate", `{"model":"chatter","prompt":"How long does the first token take?"}`},
		{"/api/generate", `{"model":"chatter","prompt":"And how long does it take now?"}`},
		{"/api/chat", `{"model":"chatter","messages":[{"role":"user","content":"Is it the same in a chat?"}]}`},
	} {
		resp, err := client.Post(tap.url+call.path, "application/json", strings.NewReader(call.body))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		wantFirst, wantEnd := tap.times(t)
		span := callSpan(t, spans, i)
		first, end := firstToken(t, span), span.EndTime().Sub(span.StartTime())
		t.Logf("%s: first token after %v (socket %v), end after %v (socket %v)", call.path, first, wantFirst, end, wantEnd)
		if d := first - wantFirst; d.Abs() > tolerance {
			t.Errorf("%s: first token after %v, the socket saw it after %v", call.path, first, wantFirst)
		}
		if d := end - wantEnd; d.Abs() > tolerance {
			t.Errorf("%s: end after %v, the socket saw it after %v", call.path, end, wantEnd)
		}
	}
}

// callSpan is the span of the call number n, from 0.
func callSpan(t *testing.T, spans *tracetest.SpanRecorder, n int) sdk.ReadOnlySpan {
	t.Helper()
	for _, s := range spans.Ended() {
		for _, a := range s.Attributes() {
			if a.Key == "ragtrace.stage" && a.Value.AsString() == "llm" {
				if n == 0 {
					return s
				}
				n--
			}
		}
	}
	t.Fatal("the call has no span")
	return nil
}

func firstToken(t *testing.T, span sdk.ReadOnlySpan) time.Duration {
	t.Helper()
	for _, a := range span.Attributes() {
		if a.Key == "ragtrace.llm.time_to_first_token" {
			return time.Duration(a.Value.AsFloat64() * float64(time.Second))
		}
	}
	t.Fatalf("the call's span has no time to the first token: %v", span.Attributes())
	return 0
}
