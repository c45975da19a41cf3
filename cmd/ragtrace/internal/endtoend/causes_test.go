//go:build unix

package endtoend

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runs is how often each cause is provoked. It has to be named every time.
const runs = 5

// A provocation is a series of questions of which one is made to wait.
type provocation struct {
	name    string
	cause   string // "" when nothing is provoked
	session string // of the question that waits, and its number
	number  int
	play    func(*scene)
}

// The usual question takes some 20 ms. What is provoked takes half a second on an idle machine, and more on a busy one:
// a quarter of a second and half of the usual time are what it takes to be told.
var provocations = []provocation{
	{name: "nothing", play: func(s *scene) { s.ask(8, question{}) }},
	{"cold chat model", "llm_load", "anna", 1, func(s *scene) {
		s.unload("chatter")
		s.ask(7, question{})
	}},
	{"cold embedder", "embed_load", "anna", 1, func(s *scene) {
		s.unload("embedder")
		s.ask(7, question{})
	}},
	{"another num_ctx", "llm_reload_options", "anna", 5, func(s *scene) {
		s.ask(4, question{Context: 262144})
		s.ask(3, question{Context: 261120})
	}},
	{"two questions on one slot", "llm_queue", "anna", 5, func(s *scene) {
		s.ask(4, question{})
		s.askBehindReport()
		s.ask(2, question{})
	}},
	{"long prompt", "llm_prefill_long", "anna", 5, func(s *scene) {
		s.ask(4, question{})
		s.ask(1, question{Passages: 40})
		s.ask(2, question{})
	}},
	{"long answer", "llm_decode_long", "anna", 5, func(s *scene) {
		s.ask(4, question{})
		s.ask(1, question{Tokens: 1200})
		s.ask(2, question{})
	}},
	{"idle past keep_alive", "keep_alive_expired", "anna", 6, func(s *scene) {
		s.ask(5, question{KeepAlive: "2s"})
		time.Sleep(2 * time.Second)
		s.gone("chatter")
		s.ask(2, question{KeepAlive: "2s"})
	}},
}

// Each cause is provoked on a real Ollama in the only way known for it, and ragtrace slow has to name it first, and only
// the question that waited.
func TestProvokedCauses(t *testing.T) {
	ollama := startOllama(t)
	createModel(t, ollama, "chatter", 1)
	createModel(t, ollama, "embedder", 2)
	stage := startStage(t, ollama)
	for _, p := range provocations {
		t.Run(p.name, func(t *testing.T) {
			stage.show(t, p, func(r report) error {
				if p.cause == "" {
					if len(r.Slow) > 0 || len(r.Causes) > 0 || r.Side != "none" {
						return fmt.Errorf("the verdict is %v, want nothing", r)
					}
					return nil
				}
				return r.names(p)
			})
		})
	}
}

// With one model allowed, embedder and chat model push each other out in every question, so that none stands out.
func TestProvokedEviction(t *testing.T) {
	ollama := startOllama(t, "OLLAMA_MAX_LOADED_MODELS=1")
	createModel(t, ollama, "chatter", 1)
	createModel(t, ollama, "embedder", 2)
	p := provocation{name: "eviction", cause: "model_eviction", play: func(s *scene) { s.ask(3, question{}) }}
	startStage(t, ollama).show(t, p, func(r report) error {
		if causes := r.Causes; len(causes) == 0 || causes[0] != p.cause {
			return fmt.Errorf("the causes are %v, want %s first", causes, p.cause)
		}
		return nil
	})
}

// names reports whether the question that was made to wait, and no other, is said to be slow, for the reason provoked.
func (r report) names(p provocation) error {
	if len(r.Slow) != 1 || r.Slow[0].Session != p.session || r.Slow[0].Number != int64(p.number) {
		return fmt.Errorf("slow are %+v, want question %d of %s alone", r.Slow, p.number, p.session)
	}
	if own := r.Slow[0].Causes; len(own) == 0 || own[0] != p.cause || r.Causes[0] != p.cause {
		return fmt.Errorf("the causes are %v, want %s first", r.Causes, p.cause)
	}
	return nil
}

// A stage is where provocations are played: an Ollama, and a ragtrace that receives the spans and judges them.
type stage struct {
	ollama, ragtrace, db, otlp string
	watch                      *watch
}

func startStage(t *testing.T, ollama string) *stage {
	s := &stage{ollama: ollama, ragtrace: build(t, "./cmd/ragtrace"), db: filepath.Join(t.TempDir(), "traces.db"), watch: startWatch(t)}
	_, s.otlp = startServe(t, s.ragtrace, s.db)
	return s
}

// show plays a provocation several times, and checks each verdict. A run may be played again, once, when the machine stood
// still during it.
func (st *stage) show(t *testing.T, p provocation, check func(report) error) {
	for run := 1; run <= runs; run++ {
		name := fmt.Sprintf("%s, run %d", p.name, run)
		st.watch.worst()
		start := time.Now()
		r, text := st.play(t, p, name)
		err := check(r)
		late := st.watch.worst()
		t.Logf("%s: %v, timers up to %v late: %s", name, time.Since(start).Round(time.Millisecond), late, r)
		if err != nil && late > stalled {
			t.Logf("again, since the machine stood still for %v: %v\n%s", late, err, text)
			r, text = st.play(t, p, name+", again")
			err = check(r)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// play plays a provocation to a service of its own, and returns what ragtrace slow says of it, and the same as text.
func (st *stage) play(t *testing.T, p provocation, service string) (r report, text string) {
	t.Helper()
	s := &scene{t: t, ollama: st.ollama, rag: startRAG(t, st.ollama, st.otlp, service), name: service}
	s.load("embedder")
	s.load("chatter")
	p.play(s)
	s.rag.stop(t)
	args := []string{"slow", "--db", st.db, "--service", service}
	if err := json.Unmarshal([]byte(output(t, "", nil, st.ragtrace, append(args, "--json")...)), &r); err != nil {
		t.Fatal(err)
	}
	return r, output(t, "", nil, st.ragtrace, args...)
}

// String is what a person who looks for the reason of a failure wants to see.
func (r report) String() string {
	var b strings.Builder
	for _, q := range r.Questions {
		fmt.Fprintf(&b, "%s/%d %.0f ms, ", q.Session, q.Number, q.E2E)
	}
	fmt.Fprintf(&b, "slow %v, causes %v", r.Slow, r.Causes)
	return b.String()
}

// A scene is one run of a provocation.
type scene struct {
	t      *testing.T
	ollama string
	rag    *rag
	name   string
	asked  int
}

// next gives a question its text, which no other has: nothing of its prompt is cached.
func (s *scene) next(q question) question {
	s.asked++
	q.Text = fmt.Sprintf("%d %s what is it", s.asked, s.name)
	return q
}

// ask asks n questions one after another.
func (s *scene) ask(n int, q question) {
	s.t.Helper()
	for range n {
		if err := s.rag.ask(s.t.Context(), "anna", s.next(q), nil); err != nil {
			s.t.Fatal(err)
		}
	}
}

// askBehindReport asks a question while the only slot is busy with a report. Reports are long, and compared with reports.
func (s *scene) askBehindReport() {
	s.t.Helper()
	begun, ended := make(chan struct{}), make(chan error, 1)
	report := s.next(question{Tokens: 1200, Report: true})
	go func() { ended <- s.rag.ask(s.t.Context(), "ben", report, begun) }()
	select {
	case <-begun:
	case err := <-ended:
		s.t.Fatalf("the slot was never busy: %v", err)
	}
	s.ask(1, question{})
	if err := <-ended; err != nil {
		s.t.Fatal(err)
	}
}

// load makes sure that a model is loaded with its own options.
func (s *scene) load(model string) {
	s.t.Helper()
	if model == "embedder" {
		s.tell("/api/embed", fmt.Sprintf(`{"model":%q,"input":"what"}`, model))
		return
	}
	s.tell("/api/chat", fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"what"}],"stream":false}`, model))
}

func (s *scene) unload(model string) {
	s.t.Helper()
	s.tell("/api/embed", fmt.Sprintf(`{"model":%q,"keep_alive":0}`, model))
	s.gone(model)
}

func (s *scene) tell(path, body string) {
	s.t.Helper()
	resp, err := http.Post(s.ollama+path, "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %s", path, body, resp.Status)
	}
}

// gone waits until a model is not loaded any more.
func (s *scene) gone(model string) {
	s.t.Helper()
	for range 200 {
		if !strings.Contains(strings.Join(loaded(s.t, s.ollama), " "), model) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("Ollama still has %s after 10 s", model)
}
