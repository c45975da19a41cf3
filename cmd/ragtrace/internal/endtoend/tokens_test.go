//go:build unix

package endtoend

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/ragtrace/ragtrace/tracer"
)

// The time to the first token and to the end, as the tracer tells them, are what the socket saw. A busy machine may hold up
// the one or the other for a moment: the median of five calls counts.
func TestFirstTokenAndEndAsTheSocketSeesThem(t *testing.T) {
	const tolerance = 5 * time.Millisecond
	ollama := startOllama(t)
	createModel(t, ollama, "chatter", 1)
	tap := startTap(t, ollama)
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	client := &http.Client{Transport: tracer.Transport(nil, tracer.WithTracerProvider(provider))}
	t.Cleanup(client.CloseIdleConnections)

	for path, body := range map[string]string{
		"/api/generate": `{"model":"chatter","prompt":"How long does the first token take?"}`,
		"/api/chat":     `{"model":"chatter","messages":[{"role":"user","content":"Is it the same in a chat?"}]}`,
	} {
		var firstOff, endOff []time.Duration
		for range 5 {
			spans.Reset()
			resp, err := client.Post(tap.url+path, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			wantFirst, wantEnd := tap.times(t)
			span := callSpan(t, spans)
			first, end := firstToken(t, span), span.EndTime().Sub(span.StartTime())
			t.Logf("%s: first token after %v (socket %v), end after %v (socket %v)", path, first, wantFirst, end, wantEnd)
			firstOff, endOff = append(firstOff, (first-wantFirst).Abs()), append(endOff, (end-wantEnd).Abs())
		}
		slices.Sort(firstOff)
		slices.Sort(endOff)
		if firstOff[2] > tolerance || endOff[2] > tolerance {
			t.Errorf("%s: the first token is %v off what the socket saw, the end %v", path, firstOff[2], endOff[2])
		}
	}
}

// callSpan is the span of the only call.
func callSpan(t *testing.T, spans *tracetest.SpanRecorder) sdk.ReadOnlySpan {
	t.Helper()
	for _, s := range spans.Ended() {
		for _, a := range s.Attributes() {
			if a.Key == "ragtrace.stage" && a.Value.AsString() == "llm" {
				return s
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
