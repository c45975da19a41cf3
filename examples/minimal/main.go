// Minimal is the smallest traced program that answers questions: one endpoint that asks Ollama. The lines with a number
// are what ragtrace needs; without them the program does the same.
//
//	ollama pull llama3.2:1b
//	go run ./examples/minimal
//	curl -N -d 'Why is the sky blue?' http://127.0.0.1:8080/
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/setup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	flush, err := setup.Start(ctx, "minimal") // 1: send spans to OTEL_EXPORTER_OTLP_ENDPOINT
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: handler("http://127.0.0.1:11434", "llama3.2:1b")}
	go func() {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			log.Fatal(err)
		}
	}()
	log.Printf("ask on http://%s/", server.Addr)
	<-ctx.Done()
	stop() // a second interrupt does not wait
	end := context.WithoutCancel(ctx)
	if err := errors.Join(server.Shutdown(end), flush(end)); err != nil {
		log.Print(err)
	}
}

func handler(ollama, model string) http.Handler {
	client := &http.Client{Transport: tracer.Transport(nil)} // 2: calls to models become spans
	return tracer.Middleware(ask(client, ollama, model))     // 3: requests become questions
}

// ask answers the question in a request's body with what the model says, while it says it.
func ask(client *http.Client, ollama, model string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		begun, err := generate(r.Context(), client, ollama, model, string(question), w)
		if err != nil && begun {
			panic(http.ErrAbortHandler) // only a broken connection tells that this is not all of the answer
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
		}
	})
}

// generate writes what the model says to w, and reports whether it has begun to.
func generate(ctx context.Context, client *http.Client, ollama, model, prompt string, w http.ResponseWriter) (begun bool, err error) {
	body, err := json.Marshal(map[string]any{"model": model, "prompt": prompt})
	if err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ollama+"/api/generate", bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return false, fmt.Errorf("cannot reach Ollama: start it with ollama serve (%w)", err)
	}
	defer resp.Body.Close()
	for lines := json.NewDecoder(resp.Body); ; begun = true {
		var line struct {
			Response, Error string
			Done            bool
		}
		if err := lines.Decode(&line); err != nil {
			return begun, fmt.Errorf("ollama broke off: %w", err)
		}
		if line.Error != "" {
			return begun, fmt.Errorf("ollama: %s", line.Error)
		}
		_, _ = io.WriteString(w, line.Response)
		_ = http.NewResponseController(w).Flush()
		if line.Done {
			return begun, nil
		}
	}
}
