package main

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/browser"
)

// An app answers questions about the documents it ingested.
type app struct {
	ollama   ollama
	weaviate weaviate
	history  history
}

func newApp(c config) *app {
	client := &http.Client{Transport: tracer.Transport(nil)}
	return &app{
		ollama: ollama{
			service: service{
				name:   "Ollama",
				url:    strings.TrimRight(c.ollama, "/"),
				start:  "ollama serve, or name another one with -ollama",
				client: client,
			},
			chatModel:  c.chatModel,
			embedModel: c.embedModel,
		},
		weaviate: weaviate{
			service: service{
				name:   "Weaviate",
				url:    strings.TrimRight(c.weaviate, "/"),
				start:  "docker compose -f compose/compose.yaml up weaviate, or name another one with -weaviate",
				client: client,
			},
			class: className(c.embedModel),
		},
	}
}

// handler serves POST /ask, each call of which is one question, and at / a page that asks.
func (a *app) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /ask", tracer.Middleware(http.HandlerFunc(a.ask)))
	mux.Handle("GET /.ragtrace/", browser.Handler())
	mux.Handle("POST /.ragtrace/", browser.Handler())
	mux.Handle("GET /{$}", page("page.html"))
	mux.Handle("GET /page.css", page("page.css"))
	mux.Handle("GET /page.js", page("page.js"))
	return mux
}
