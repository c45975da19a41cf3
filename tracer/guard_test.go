package tracer_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer"
)

// A badProcessor panics at one of its calls, as a defect below us would.
type badProcessor struct {
	discard
	onStart, onEnd bool
}

func (b badProcessor) OnStart(context.Context, sdktrace.ReadWriteSpan) {
	if b.onStart {
		panic("a defect at the start")
	}
}

func (b badProcessor) OnEnd(sdktrace.ReadOnlySpan) {
	if b.onEnd {
		panic("a defect at the end")
	}
}

// The application never sees a panic of the telemetry, whatever it does.
func TestPanicsOfTelemetryStayInside(t *testing.T) {
	var handled int
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) { handled++ }))
	defer otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { t.Log(err) }))
	for name, bad := range map[string]badProcessor{"start": {onStart: true}, "end": {onEnd: true}} {
		t.Run(name, func(t *testing.T) {
			handled = 0
			opt := tracer.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(bad)))
			client := tracer.Transport(canned(embedAnswer), opt)
			h := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, s := tracer.Stage(r.Context(), stages.Prompt, opt)
				s.Model("m")
				s.End(nil)
				req, _ := http.NewRequestWithContext(r.Context(), "POST", "http://ollama/api/embed", nil)
				resp, err := client.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				io.Copy(w, resp.Body)
				resp.Body.Close()
			}), opt)
			if got := serve(h, "Ragtrace-Session", "s", "Ragtrace-Enter", "5").Body.String(); got != embedAnswer {
				t.Errorf("answered %q", got)
			}
			_, q := tracer.Ask(t.Context(), "s", opt)
			q.FirstByte()
			q.End(nil)
			if handled == 0 {
				t.Error("nothing was reported")
			}
		})
	}
}

// Spans that nobody records cost little, and the context still travels.
func TestNotSampled(t *testing.T) {
	p := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	var header http.Header
	client := tracer.Transport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
		header = r.Header
		return textOf("x"), nil
	}), tracer.WithTracerProvider(p), w3c)
	ctx, q := tracer.Ask(t.Context(), "s", tracer.WithTracerProvider(p))
	req, _ := http.NewRequestWithContext(ctx, "GET", "http://ollama/", nil)
	resp, err := client.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	drain(t, resp)
	q.End(nil)
	if got := header.Get("Traceparent"); len(got) != 55 || got[53:] != "00" {
		t.Errorf("traceparent %q, want one that is not sampled", got)
	}
	if header.Get("Baggage") == "" {
		t.Error("the question does not travel")
	}
}
