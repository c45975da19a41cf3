//go:build unix

package endtoend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// asked are the questions, in order. The sessions take turns, so that neither has the warm ones to itself.
var asked = []struct{ session, question string }{
	{"anna", "What happens before the first token of an answer appears?"},
	{"anna", "And what sets the pace after that?"},
	{"ben", "How long does a model stay in memory?"},
	{"anna", "Why do small weights help?"},
	{"ben", "What does a negative keep alive mean?"},
	{"ben", "Why would two models push each other out?"},
	{"anna", "What is a reranker good for?"},
}

// Ragapp, as it is built and run by anyone, answers questions with a real Ollama and a real Weaviate. The first question
// finds no model loaded. Its spans go to a real Jaeger and to ragtrace serve at the same time.
func TestRagappOnRealServers(t *testing.T) {
	ollama, weaviate := startOllama(t), startWeaviate(t)
	createModel(t, ollama, "chatter", 1)
	createModel(t, ollama, "embedder", 2)
	query, jaeger := startJaeger(t)
	ragtrace := build(t, "./cmd/ragtrace")
	db := filepath.Join(t.TempDir(), "traces.db")
	serve, otlp := startServe(t, ragtrace, db)
	recorder := startRecorder(t, ollama)

	since := time.Now()
	app := startRagapp(t, recorder.url, weaviate, startRelay(t, jaeger, otlp))
	unload(t, ollama, "embedder") // ingestion had loaded it

	var clients []time.Duration
	for _, a := range asked {
		clients = append(clients, app.ask(t, a.session, a.question))
	}
	if code := app.stop(); code != 0 {
		t.Errorf("ragapp ended with exit code %d", code)
	}
	if code := serve.stop(); code != 0 {
		t.Errorf("ragtrace serve ended with exit code %d", code)
	}

	stored := fromStore(t, db)
	seen := fromJaeger(t, query, "ragapp", since)
	questions := questionsOf(t, stored)
	chats, embeds := recorder.figures(t, "/api/chat"), recorder.figures(t, "/api/embed")
	if len(chats) != len(asked) || len(embeds) <= len(asked) {
		t.Fatalf("Ollama answered %d chats and %d embeddings, want %d and more than that", len(chats), len(embeds), len(asked))
	}
	embeds = embeds[len(embeds)-len(asked):] // those before were ingestion

	t.Run("Jaeger has the same traces", func(t *testing.T) { sameTraces(t, questions, seen) })
	for i, q := range questions {
		t.Run(fmt.Sprintf("spans of question %d", i+1), func(t *testing.T) { wholeQuestion(t, q, clients[i]) })
		t.Run(fmt.Sprintf("phases of question %d", i+1), func(t *testing.T) { phasesOfServer(t, q, chats[i], embeds[i], i == 0) })
	}
	t.Run("slow", func(t *testing.T) {
		var r report
		if err := json.Unmarshal([]byte(output(t, "", nil, ragtrace, "slow", "--db", db, "--json")), &r); err != nil {
			t.Fatal(err)
		}
		namesTheColdQuestion(t, r, questions)
	})
	if t.Failed() {
		for _, q := range questions {
			t.Logf("trace %s\n%s", q[0].Trace, q)
		}
	}
}

// startServe runs ragtrace serve and returns its OTLP/gRPC address.
func startServe(t *testing.T, ragtrace, db string) (serve *process, otlp string) {
	t.Helper()
	p := freePorts(t, 2)
	otlp = fmt.Sprintf("127.0.0.1:%d", p)
	web := fmt.Sprintf("127.0.0.1:%d", p+1)
	ready := answers("http://"+web+"/v1/traces", http.StatusMethodNotAllowed)
	return start(t, ready, nil, ragtrace, "serve", "--db", db, "--otlp-grpc", otlp, "--otlp-http", web, "--http", "", "--jaeger-thrift", ""), otlp
}

type ragapp struct {
	*process
	url string
}

func startRagapp(t *testing.T, ollama, weaviate, otlp string) ragapp {
	t.Helper()
	addr := fmt.Sprintf("127.0.0.1:%d", freePorts(t, 1))
	url := "http://" + addr + "/ask"
	// It answers only when its documents are stored.
	return ragapp{start(t, answers(url, http.StatusMethodNotAllowed), []string{
		"ADDR=" + addr,
		"OLLAMA_URL=" + ollama,
		"WEAVIATE_URL=" + weaviate,
		"CHAT_MODEL=chatter",
		"EMBED_MODEL=embedder",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + otlp,
	}, build(t, "./examples/ragapp")), url}
}

// ask asks one question and returns how long that took.
func (a ragapp) ask(t *testing.T, session, question string) time.Duration {
	t.Helper()
	body, err := json.Marshal(map[string]string{"session": session, "question": question})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	resp, err := http.Post(a.url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	took := time.Since(start)
	if err != nil || resp.StatusCode != http.StatusOK || len(answer) == 0 {
		t.Fatalf("%q was answered %s %q, %v", question, resp.Status, answer, err)
	}
	return took
}

// unload has Ollama drop a model and waits until no model is loaded.
func unload(t *testing.T, ollama, model string) {
	t.Helper()
	body := strings.NewReader(fmt.Sprintf(`{"model":%q,"keep_alive":0}`, model))
	resp, err := http.Post(ollama+"/api/embed", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	for range 200 {
		if len(loaded(t, ollama)) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("Ollama still has %s after 10 s", model)
}

// questionsOf are the traces with a question at their root, in the order they were asked.
func questionsOf(t *testing.T, traces map[string]trace) []trace {
	t.Helper()
	var questions []trace
	numbers := make(map[string]int64)
	for i, a := range asked {
		numbers[a.session]++
		var found []trace
		for _, tr := range traces {
			root := tr[0]
			if root.stage() == "question" && root.Attrs["session.id"] == a.session && root.Attrs["ragtrace.question.number"] == numbers[a.session] {
				found = append(found, tr)
			}
		}
		if len(found) != 1 {
			t.Fatalf("%d traces are question %d of %s, want 1", len(found), numbers[a.session], a.session)
		}
		if i > 0 && found[0][0].Start < questions[i-1][0].End {
			t.Errorf("question %d starts before the one before has ended", i+1)
		}
		questions = append(questions, found[0])
	}
	return questions
}

// sameTraces compares what Jaeger knows with what we stored, span by span.
func sameTraces(t *testing.T, questions []trace, seen map[string]trace) {
	for _, want := range questions {
		if diff := cmp.Diff(want, seen[want[0].Trace]); diff != "" {
			t.Errorf("trace %s (-ours +Jaeger):\n%s", want[0].Trace, diff)
		}
	}
}

// wholeQuestion checks that a question has one root, every stage, and no span outside of its parent.
func wholeQuestion(t *testing.T, q trace, client time.Duration) {
	root := q.find(t, "question")
	if root.Parent != "" || root.Name != "question" {
		t.Errorf("the question's span is %q with parent %q, want a root named question", root.Name, root.Parent)
	}
	byID := make(map[string]span)
	for _, s := range q {
		byID[s.ID] = s
	}
	for _, s := range q {
		parent, ok := byID[s.Parent]
		if s.ID == root.ID {
			continue
		}
		if !ok {
			t.Errorf("%s has a parent that is not there", s.Name)
			continue
		}
		end := parent.End
		if s.stage() == "llm" {
			end += int64(250 * time.Millisecond) // the last token goes out before Ollama says that it is done
		}
		if s.Start < parent.Start || s.End > end || s.End < s.Start {
			t.Errorf("%s (%v long) is not within %s", s.Name, s.duration(), parent.Name)
		}
		if s.Failed {
			t.Errorf("%s has failed", s.Name)
		}
		if s.Attrs["session.id"] != root.Attrs["session.id"] || s.Attrs["ragtrace.question.number"] != root.Attrs["ragtrace.question.number"] {
			t.Errorf("%s has the session %v and number %v", s.Name, s.Attrs["session.id"], s.Attrs["ragtrace.question.number"])
		}
	}
	// In the order in which the application does them.
	var before span
	for _, stage := range []string{"embed", "search", "rerank", "prompt", "llm"} {
		s := q.find(t, stage)
		if s.Start < before.End {
			t.Errorf("%s starts before %s has ended", stage, before.stage())
		}
		if want := stage == "llm"; s.Attrs["ragtrace.inside_llm"] != want {
			t.Errorf("ragtrace.inside_llm of %s is %v", stage, s.Attrs["ragtrace.inside_llm"])
		}
		before = s
	}
	// The client sees the network and its own work besides.
	if more := client - root.duration(); more < 0 || more > 250*time.Millisecond {
		t.Errorf("the question took %v, its client saw %v", root.duration(), client)
	}
}

// phasesOfServer compares the phases with the figures of Ollama's own answers.
func phasesOfServer(t *testing.T, q trace, chat, embed figures, cold bool) {
	llm := q.find(t, "llm")
	var sum time.Duration
	end := llm.Start
	for _, s := range q {
		if s.Parent != llm.ID || !strings.HasPrefix(s.stage(), "llm.") {
			continue
		}
		if s.Start < end {
			t.Errorf("%s starts before the phase before it has ended", s.Name)
		}
		if s.Attrs["ragtrace.inside_llm"] != true {
			t.Errorf("%s is not inside the LLM", s.Name)
		}
		for key := range s.Attrs {
			if strings.HasPrefix(key, "gen_ai.") {
				t.Errorf("%s carries %s", s.Name, key)
			}
		}
		sum += s.duration()
		end = s.End
	}
	within(t, "the phases' sum", sum, time.Duration(chat.Total), time.Millisecond)
	load := q.find(t, "llm.load")
	within(t, "llm.load", load.duration(), time.Duration(chat.Load), 10*time.Microsecond)
	within(t, "llm.prefill", q.find(t, "llm.prefill").duration(), time.Duration(chat.PromptEval), 10*time.Microsecond)
	if d := q.find(t, "llm.decode").duration(); d < time.Duration(chat.Eval)-10*time.Microsecond {
		t.Errorf("llm.decode is %v, less than Ollama's %v", d, time.Duration(chat.Eval))
	}
	if tokens := llm.Attrs["gen_ai.usage.output_tokens"]; tokens != chat.EvalCount {
		t.Errorf("gen_ai.usage.output_tokens is %v, want %d", tokens, chat.EvalCount)
	}
	if isLoad := load.duration() > coldLoad; isLoad != cold {
		t.Errorf("llm.load is %v, cold should be %v", load.duration(), cold)
	}

	embedLoad := q.find(t, "embed.load")
	if embedLoad.Parent != q.find(t, "embed").ID || embedLoad.Attrs["ragtrace.inside_llm"] != false {
		t.Errorf("embed.load has the parent %s and ragtrace.inside_llm %v", embedLoad.Parent, embedLoad.Attrs["ragtrace.inside_llm"])
	}
	within(t, "embed.load", embedLoad.duration(), time.Duration(embed.Load), 10*time.Microsecond)
	if isLoad := embedLoad.duration() > coldLoad; isLoad != cold {
		t.Errorf("embed.load is %v, cold should be %v", embedLoad.duration(), cold)
	}
}

// coldLoad is what every cold load takes longer than, and no warm one; see createModel.
const coldLoad = 250 * time.Millisecond

func within(t *testing.T, what string, got, want, tolerance time.Duration) {
	t.Helper()
	if d := got - want; d < -tolerance || d > tolerance {
		t.Errorf("%s is %v, Ollama says %v", what, got, want)
	}
}

// report is the part of ragtrace slow --json that is compared. Milliseconds have three decimals.
type report struct {
	Questions []struct {
		Session string
		Number  int64
		TraceID string  `json:"trace_id"`
		E2E     float64 `json:"e2e_ms"`
		Status  string
		Inside  float64 `json:"inside_llm_ms"`
		Outside float64 `json:"outside_llm_ms"`
		Stages  []struct {
			Stage  string
			MS     float64
			Inside bool `json:"inside_llm"`
		}
		Cold []struct {
			Cause  string
			MS     float64
			Inside bool `json:"inside_llm"`
		}
	}
	Slow []struct {
		Session string
		Number  int64
		Causes  []string
	}
	Side   string
	Causes []string
}

func namesTheColdQuestion(t *testing.T, r report, questions []trace) {
	if len(r.Questions) != len(questions) {
		t.Fatalf("%d questions are reported, want %d", len(r.Questions), len(questions))
	}
	traces := make(map[string]trace)
	for _, q := range questions {
		traces[q[0].Trace] = q
	}
	for _, q := range r.Questions {
		tr := traces[q.TraceID]
		if tr == nil || q.Session != tr[0].Attrs["session.id"] || q.Number != tr[0].Attrs["ragtrace.question.number"] || q.Status != "ok" {
			t.Errorf("question %d of %s (%s) has the trace %s", q.Number, q.Session, q.Status, q.TraceID)
			continue
		}
		// To the microsecond, which is the third decimal.
		var sum, inside float64
		for _, s := range q.Stages {
			sum += s.MS
			if s.Inside {
				inside += s.MS
			}
		}
		micros := func(ms float64) int64 { return int64(math.Round(ms * 1000)) }
		if micros(sum) != micros(q.E2E) || micros(inside) != micros(q.Inside) || micros(q.Inside+q.Outside) != micros(q.E2E) {
			t.Errorf("question %d of %s: stages %v, inside %v + outside %v, E2E %v ms", q.Number, q.Session, sum, q.Inside, q.Outside, q.E2E)
		}
		if want := tr[0].duration().Round(time.Microsecond); micros(q.E2E) != want.Microseconds() {
			t.Errorf("question %d of %s: E2E %v ms, its span took %v", q.Number, q.Session, q.E2E, want)
		}

		cold := make(map[string]bool) // cause: inside
		for _, c := range q.Cold {
			if strings.HasSuffix(c.Cause, "_load") {
				cold[c.Cause] = c.Inside
			}
		}
		want := make(map[string]bool)
		if q.TraceID == questions[0][0].Trace {
			want = map[string]bool{"llm_load": true, "embed_load": false}
		}
		if diff := cmp.Diff(want, cold); diff != "" {
			t.Errorf("cold loads of question %d of %s, and whether inside the LLM (-want +got):\n%s", q.Number, q.Session, diff)
		}
	}
	// The worst comes first. A busy machine may make another one slow too.
	if slow := r.Slow; len(slow) == 0 || slow[0].Session != asked[0].session || slow[0].Number != 1 {
		t.Errorf("slow are %v, want question 1 of %s first", slow, asked[0].session)
	}
}
