package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/tracer"
)

// Config says what to run against.
type Config struct {
	Endpoint string    // host:port of the OTLP/gRPC receiver
	Ollama   string    // base URL of a real Ollama; "" for a scripted one
	Sessions string    // goes behind the names of the two sessions, so that runs in one store can be told apart
	Progress io.Writer // is told what goes on, in lines
}

// A Run is what was run.
type Run struct {
	Source   string // whose timings these are, in words
	Instance string // service.instance.id of the spans
	Began    time.Time
}

// Start runs the demo to its end. When it returns without an error, the receiver has every span.
func Start(ctx context.Context, c Config) (Run, error) {
	servers := serving{}
	defer servers.stop()
	a, source, err := servers.app(ctx, c.Ollama)
	if err != nil {
		return Run{}, err
	}
	run := Run{Source: source, Instance: newInstance(), Began: time.Now()}
	fmt.Fprintf(c.Progress, "This is %s.\n", source)
	fmt.Fprintf(c.Progress, "embedding %d documents ...\n", len(a.documents))
	if err := a.ingest(ctx); err != nil {
		if ctx.Err() != nil {
			return run, errors.New("interrupted before the first question")
		}
		return run, err
	}

	provider, err := newProvider(ctx, c.Endpoint, run.Instance)
	if err != nil {
		return run, err
	}
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	a.client = &http.Client{Transport: tracer.Transport(base, tracer.WithTracerProvider(provider))}
	url, err := servers.start(tracer.Middleware(a, tracer.WithTracerProvider(provider), tracer.WithPipeline(pipeline(source, c.Sessions))))
	if err == nil {
		err = askAll(ctx, url, c)
	}
	// What was asked so far is worth keeping, even when the user breaks off.
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return run, errors.Join(err, provider.Shutdown(flush))
}

// pipeline names the pipeline of a run. Runs are no peers of each other: each starts its servers anew, so that the second
// would find cold what the first had left warm.
func pipeline(source, sessions string) string {
	if sessions == "" {
		return source
	}
	return source + ", run " + strings.TrimPrefix(sessions, "-")
}

// app makes the application and starts the servers that it needs.
func (s *serving) app(ctx context.Context, ollama string) (*app, string, error) {
	documents, err := handbook()
	if err != nil {
		return nil, "", err
	}
	a := &app{documents: documents, ollama: ollama}
	source := "a scripted Ollama: its timings are invented"
	if ollama == "" {
		if a.ollama, err = s.start(scriptedOllama()); err != nil {
			return nil, "", err
		}
	}
	if a.models, err = chooseModels(ctx, http.DefaultClient, a.ollama); err != nil {
		return nil, "", err
	}
	if ollama != "" {
		source = fmt.Sprintf("the Ollama at %s (%s); vector store and reranker are scripted", ollama, a.models)
	}
	if a.store, err = s.start(scriptedStore()); err != nil {
		return nil, "", err
	}
	if a.reranker, err = s.start(scriptedReranker()); err != nil {
		return nil, "", err
	}
	return a, source, nil
}

// askAll asks the questions one after another.
func askAll(ctx context.Context, url string, c Config) error {
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	browser := &http.Client{Transport: base}
	numbers := make(map[string]int)
	for i, t := range turns {
		t.session += c.Sessions
		numbers[t.session]++
		if t.think > 0 {
			fmt.Fprintf(c.Progress, "the user reads for %v, the chat model is kept in memory for %v ...\n", t.think, keepAlive)
			select {
			case <-time.After(t.think):
			case <-ctx.Done():
			}
		}
		fmt.Fprintf(c.Progress, "question %d of %d: %s\n", i+1, len(turns), t.question)
		if err := ask(ctx, browser, url, t, numbers[t.session]); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted at question %d of %d", i+1, len(turns))
			}
			return fmt.Errorf("question %d of %d: %w", i+1, len(turns), err)
		}
	}
	return nil
}
