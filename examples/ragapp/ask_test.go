package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
)

// scripted is an app whose servers are scripted. It has ingested its documents.
type scripted struct {
	*app
	url string // of the app

	mu      sync.Mutex
	prompts []string // what the chat model was asked
}

func startScripted(t *testing.T, fault fakeserver.Script) *scripted {
	t.Helper()
	s := &scripted{}
	ollama := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{
		Models: []fakeserver.Model{
			{Name: "embedder", Kind: fakeserver.Embed},
			{Name: "chatter", Answer: func(prompt string) string {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.prompts = append(s.prompts, prompt)
				return "Twelve words of an answer."
			}},
		},
		Script: fault,
	}))
	t.Cleanup(ollama.Close)
	store := httptest.NewServer(fakeserver.NewVectorStore(fakeserver.StoreConfig{}))
	t.Cleanup(store.Close)
	s.app = newApp(config{ollama: ollama.URL, weaviate: store.URL + "/", chatModel: "chatter", embedModel: "embedder"})
	if _, err := s.ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// post asks and returns the status, the body and the error of reading it.
func (s *scripted) post(t *testing.T, body string) (int, string, error) {
	t.Helper()
	resp, err := http.Post(s.url+"/ask", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func TestAskAnswersFromTheDocuments(t *testing.T) {
	s := startScripted(t, nil)
	status, answer, err := s.post(t, `{"question":"What does quantisation do to weights?"}`)
	if status != http.StatusOK || answer != "Twelve words of an answer." || err != nil {
		t.Errorf("got %d %q, %v", status, answer, err)
	}
	if !strings.Contains(s.prompts[0], "Quantisation stores each weight of a model in fewer bits") {
		t.Errorf("the prompt has not the passage that answers the question:\n%s", s.prompts[0])
	}
}

func TestAskStreams(t *testing.T) {
	s := startScripted(t, nil)
	w := &pieces{header: http.Header{}}
	s.ask(w, httptest.NewRequest(http.MethodPost, "/ask", strings.NewReader(`{"question":"What is prefill?"}`)))
	if w.flushed < 2 || w.flushed != len(w.written) {
		t.Errorf("%d pieces were flushed %d times, want each once: %q", len(w.written), w.flushed, w.written)
	}
}

// pieces is a response of which each piece is kept.
type pieces struct {
	header  http.Header
	written []string
	flushed int
}

func (p *pieces) Header() http.Header { return p.header }
func (p *pieces) WriteHeader(int)     {}
func (p *pieces) Flush()              { p.flushed++ }
func (p *pieces) Write(b []byte) (int, error) {
	p.written = append(p.written, string(b))
	return len(b), nil
}

func TestAskRemembersTheSession(t *testing.T) {
	s := startScripted(t, nil)
	s.post(t, `{"question":"What is keep_alive?","session":"anna"}`)
	s.post(t, `{"question":"And what if it is negative?","session":"anna"}`)
	s.post(t, `{"question":"And what is decode?","session":"ben"}`)
	if !strings.Contains(s.prompts[1], "What is keep_alive?") || !strings.Contains(s.prompts[1], "Twelve words") {
		t.Errorf("the second prompt has not the first question and its answer:\n%s", s.prompts[1])
	}
	if strings.Contains(s.prompts[2], "keep_alive?") {
		t.Errorf("ben's prompt has a question of anna:\n%s", s.prompts[2])
	}
}

func TestAskRefusesWhatIsNoQuestion(t *testing.T) {
	s := startScripted(t, nil)
	for _, body := range []string{``, `question`, `{"question":" "}`, `{"question":7}`, `{"question":"` + strings.Repeat("x", maxQuestion) + `"}`} {
		if status, answer, _ := s.post(t, body); status != http.StatusBadRequest || !strings.Contains(answer, "question") {
			t.Errorf("%.30q was answered %d %q", body, status, answer)
		}
	}
	if len(s.prompts) != 0 {
		t.Errorf("the model was asked %q", s.prompts)
	}
}

func TestAskSaysWhatToDo(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, test := range []struct {
		name  string
		wreck func(*app)
		want  []string
	}{
		{"Ollama is down", func(a *app) { a.ollama.url = gone.URL }, []string{"cannot reach Ollama at " + gone.URL, "ollama serve"}},
		{"Weaviate is down", func(a *app) { a.weaviate.url = gone.URL }, []string{"cannot reach Weaviate at " + gone.URL, "docker compose"}},
		{"no chat model", func(a *app) { a.ollama.chatModel = "gpt" }, []string{"ollama pull gpt"}},
		{"no embedding model", func(a *app) { a.ollama.embedModel = "bert" }, []string{"ollama pull bert"}},
		{"no class", func(a *app) { a.weaviate.class = "Other" }, []string{"weaviate at", "Other"}},
		{"not Weaviate", func(a *app) { a.weaviate.url = a.ollama.url }, []string{"status 404 from Weaviate"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := startScripted(t, nil)
			test.wreck(s.app)
			status, answer, _ := s.post(t, `{"question":"What is prefill?","session":"anna"}`)
			if status != http.StatusBadGateway {
				t.Errorf("status %d, want 502", status)
			}
			for _, want := range test.want {
				if !strings.Contains(answer, want) {
					t.Errorf("the answer %q does not say %q", answer, want)
				}
			}
			if len(s.history.get("anna")) != 0 {
				t.Error("a question without an answer is remembered")
			}
		})
	}
}

func TestAskBreaksOffWhenTheModelDoes(t *testing.T) {
	for name, fault := range map[string]fakeserver.Fault{
		"connection":   {AfterLines: 2, Cut: true},
		"error":        {AfterLines: 2, Error: "out of memory"},
		"without done": {AfterLines: 2, Stop: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := startScripted(t, onChat(fault))
			status, answer, err := s.post(t, `{"question":"What is prefill?","session":"anna"}`)
			if status != http.StatusOK || answer == "" || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("got %d %q, %v; want the beginning of an answer and then an error", status, answer, err)
			}
			if len(s.history.get("anna")) != 0 {
				t.Error("half an answer is remembered")
			}
		})
	}
}

func TestAskEndsItsCallsWhenTheClientLeaves(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	s := startScripted(t, func(_ int, r *http.Request, _ []byte) fakeserver.Fault {
		if r.URL.Path != "/api/chat" {
			return fakeserver.Fault{}
		}
		close(began)
		go func() {
			<-r.Context().Done()
			close(ended)
		}()
		return fakeserver.Fault{Hang: true}
	})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-began
		leave()
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/ask", strings.NewReader(`{"question":"What is prefill?"}`))
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
		t.Error("a hanging model gave an answer")
	}
	<-ended // or the test's time is up
}

// onChat makes every chat go wrong.
func onChat(fault fakeserver.Fault) fakeserver.Script {
	return func(_ int, r *http.Request, _ []byte) fakeserver.Fault {
		if r.URL.Path == "/api/chat" {
			return fault
		}
		return fakeserver.Fault{}
	}
}
