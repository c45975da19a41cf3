package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
)

func TestRunSaysWhyItCannotStart(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "none")
	ollama := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{}))
	defer ollama.Close()
	store := httptest.NewServer(fakeserver.NewVectorStore(fakeserver.StoreConfig{}))
	defer store.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()

	good := config{addr: "127.0.0.1:0", ollama: ollama.URL, weaviate: store.URL, chatModel: "chatter", embedModel: "embedder"}
	for _, test := range []struct {
		name   string
		change func(*config)
		want   string
	}{
		{"address in use", func(c *config) { c.addr = taken.Addr().String() }, "pass -addr"},
		{"no Weaviate", func(c *config) { c.weaviate = gone.URL }, "cannot reach Weaviate at " + gone.URL},
		{"no Ollama", func(c *config) { c.ollama = gone.URL }, "start it with ollama serve"},
		{"no model", func(*config) {}, "ollama pull embedder"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := good
			test.change(&c)
			if err := run(t.Context(), c); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("run = %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestServeLetsAnAnswerFinish(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() {
		served <- serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "first, ")
			_ = http.NewResponseController(w).Flush()
			stop()
			for { // until new questions are refused
				conn, err := net.Dial("tcp", listener.Addr().String())
				if err != nil {
					break
				}
				conn.Close()
			}
			_, _ = io.WriteString(w, "last")
		}))
	}()
	resp, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, err := io.ReadAll(resp.Body); string(answer) != "first, last" || err != nil {
		t.Errorf("got %q, %v", answer, err)
	}
	if err := <-served; err != nil {
		t.Errorf("serve = %v", err)
	}
}
