package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

// A shelf holds spans in memory, and is a source of them.
type shelf struct {
	mu      sync.Mutex
	version int
	spans   []model.Span
	cut     []diagnose.Question // instead of those that the spans are cut into
}

func (s *shelf) add(spans ...model.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spans = append(s.spans, spans...)
	s.version++
}

func (s *shelf) source() web.Source {
	return web.Source{
		Version: func(context.Context) (string, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return strconv.Itoa(s.version), nil
		},
		Questions: func(context.Context) ([]diagnose.Question, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.cut != nil {
				return s.cut, nil
			}
			return diagnose.Cut(s.spans), nil
		},
		Spans: func(_ context.Context, id model.TraceID) ([]model.Span, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			var of []model.Span
			for _, span := range s.spans {
				if span.TraceID == id {
					of = append(of, span)
				}
			}
			if of == nil {
				return nil, web.ErrNoTrace
			}
			return of, nil
		},
	}
}

// start serves a shelf.
func start(t testing.TB, s *shelf, options web.Options) *httptest.Server {
	t.Helper()
	return serve(t, s.source(), options)
}

func serve(t testing.TB, source web.Source, options web.Options) *httptest.Server {
	t.Helper()
	return newServer(t, web.New(source, options))
}

func newServer(t testing.TB, page *web.Page) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(page)
	t.Cleanup(func() {
		page.Close()
		http.DefaultClient.CloseIdleConnections()
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// verdictCase reads the spans of a case that diagnose is tested with.
func verdictCase(t testing.TB, name string) []model.Span {
	t.Helper()
	paths, err := filepath.Glob("../diagnose/testdata/verdict/" + name + ".otlp.json*")
	if err != nil || len(paths) != 1 {
		t.Fatalf("%d files of case %s, %v", len(paths), name, err)
	}
	f, err := os.Open(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []model.Span
	for batch, err := range source.ReadFile(f) {
		if err != nil {
			t.Fatal(err)
		}
		spans, err := batch.Decode()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, spans...)
	}
	return all
}

// inSession moves spans to a session of another name, so that several cases can be told apart.
func inSession(spans []model.Span, name string) []model.Span {
	for i := range spans {
		for _, key := range []string{"session.id", "gen_ai.conversation.id"} {
			if old := spans[i].Attrs.String(key); old != "" {
				spans[i].Attrs[key] = strings.TrimSpace(name + " " + old)
			}
		}
	}
	return spans
}
