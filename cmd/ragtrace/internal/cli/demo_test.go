package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
)

// answer is the JSON of slow, as its readers know it.
type answer struct {
	Questions []struct {
		Session    string   `json:"session"`
		Number     int      `json:"number"`
		TraceID    string   `json:"trace_id"`
		IdleBefore *float64 `json:"idle_before_ms"`
		E2E        float64  `json:"e2e_ms"`
		TTFT       *float64 `json:"ttft_ms"`
		Status     string   `json:"status"`
		Inside     float64  `json:"inside_llm_ms"`
		Outside    float64  `json:"outside_llm_ms"`
		Stages     []struct {
			Stage  string  `json:"stage"`
			Ms     float64 `json:"ms"`
			Inside bool    `json:"inside_llm"`
		} `json:"stages"`
		Cold []struct {
			Cause  string `json:"cause"`
			Inside bool   `json:"inside_llm"`
		} `json:"cold"`
		Flags []string `json:"flags"`
	} `json:"questions"`
	Slow []struct {
		Session string   `json:"session"`
		Number  int      `json:"number"`
		Causes  []string `json:"causes"`
	} `json:"slow"`
	Text string `json:"text"`
}

// micros is a figure of the JSON in whole microseconds, which is what it is written in.
func micros(ms float64) int64 { return int64(math.Round(ms * 1000)) }

func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("the demo takes a quarter of a minute")
	}
	t.Parallel()
	late := watchTimers(t)
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"demo", "--once", "--json"}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var a answer
	if err := json.Unmarshal(stdout.Bytes(), &a); err != nil {
		t.Fatalf("standard output is not JSON alone: %v", err)
	}
	if !strings.Contains(stderr.String(), "This is a scripted Ollama: its timings are invented.") {
		t.Errorf("nobody is told that the timings are invented: %s", &stderr)
	}

	var asked []string
	for _, q := range a.Questions {
		asked = append(asked, name(q.Session, q.Number))
		if q.Status != "ok" || len(q.Flags) > 0 || q.TTFT == nil {
			t.Errorf("%s: status %s, flags %v, TTFT %v", name(q.Session, q.Number), q.Status, q.Flags, q.TTFT)
		}
		var all, inside int64
		for _, s := range q.Stages {
			all += micros(s.Ms)
			if s.Inside {
				inside += micros(s.Ms)
			}
		}
		if all != micros(q.E2E) || inside != micros(q.Inside) || micros(q.Inside)+micros(q.Outside) != all {
			t.Errorf("%s: stages add up to %d us and %d us inside, of %d and %d", name(q.Session, q.Number), all, inside,
				micros(q.E2E), micros(q.Inside))
		}
	}
	if diff := cmp.Diff([]string{"a/1", "a/2", "a/3", "a/4", "b/1", "b/2", "b/3", "b/4"}, asked); diff != "" {
		t.Fatal(diff)
	}
	if t.Failed() {
		return
	}

	// Loads and searches cost what the servers were told to take (a load has 4 ms of the server's handling in it), and as much
	// as this machine's timers are late: a server that wakes up late did take longer. The 25 ms are for what another process
	// takes of the server's time and not of the timers', and far from the difference between cold and warm.
	lateness := float64(late()) / float64(time.Millisecond)
	for _, want := range []struct {
		question int
		stage    string
		ms       float64
	}{
		{0, "llm.load", 1500 + 4}, {0, "embed.load", 700 + 4}, {0, "search", 700 + 8},
		{6, "llm.load", 1500 + 4}, {6, "embed.load", 4}, {6, "search", 8},
	} {
		got := 0.0
		for _, s := range a.Questions[want.question].Stages {
			if s.Stage == want.stage {
				got = s.Ms
			}
		}
		if math.Abs(got-want.ms) > 25+2*lateness {
			t.Errorf("%s: %s took %.3f ms, scripted were %v, timers are %.3f ms late", asked[want.question], want.stage, got,
				want.ms, lateness)
		}
	}
	var cold []string
	for _, c := range a.Questions[0].Cold {
		side := " outside"
		if c.Inside {
			side = " inside"
		}
		cold = append(cold, c.Cause+side)
	}
	slices.Sort(cold)
	if diff := cmp.Diff([]string{"embed_load outside", "llm_load inside", "search_index_cold outside"}, cold); diff != "" {
		t.Errorf("cold at the first question: %s", diff)
	}

	// On a busy machine further questions may stand out, for good reasons.
	causes := make(map[string][]string)
	for _, s := range a.Slow {
		causes[name(s.Session, s.Number)] = s.Causes
	}
	for question, want := range map[string][]string{"a/1": {"llm_load", "embed_load", "search_index_cold"}, "b/3": {"keep_alive_expired"}} {
		for _, cause := range want {
			if !slices.Contains(causes[question], cause) {
				t.Errorf("%s is put down to %v, want %s among them", question, causes[question], cause)
			}
		}
	}
	if idle := a.Questions[6].IdleBefore; idle == nil || *idle < 3500 {
		t.Errorf("b/3 came after %v ms, the user thought for 3500", idle)
	}
	if !strings.Contains(a.Text, "Question 1 of session a") {
		t.Errorf("the verdict does not name the first question: %s", a.Text)
	}
}

// watchTimers measures, until the function that it returns is called, by how much this machine's timers are late at most.
func watchTimers(t *testing.T) (worst func() time.Duration) {
	ctx, stop := context.WithCancel(t.Context())
	most := make(chan time.Duration, 1)
	go func() {
		const tick = 5 * time.Millisecond
		var late time.Duration
		for ctx.Err() == nil {
			start := time.Now()
			time.Sleep(tick)
			late = max(late, time.Since(start)-tick)
		}
		most <- late
	}()
	return func() time.Duration {
		stop()
		return <-most
	}
}

// unwrap undoes line breaks.
func unwrap(text string) string { return strings.Join(strings.Fields(text), " ") }

func name(session string, number int) string { return session + "/" + string(rune('0'+number)) }

// TestDemoWithAnOllama asks a server that the demo did not start, and keeps what came.
func TestDemoWithAnOllama(t *testing.T) {
	if testing.Short() {
		t.Skip("a user of the demo thinks for 3.5 s")
	}
	t.Parallel()
	server := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{Models: []fakeserver.Model{
		{Name: "quick", Load: 400 * time.Millisecond}, {Name: "vectors", Kind: fakeserver.Embed, Load: 300 * time.Millisecond},
	}}))
	defer server.Close()
	db := filepath.Join(t.TempDir(), "kept", "demo.db")
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"demo", "--ollama", server.URL + "/", "--db", db}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	for _, want := range []string{
		"This is the Ollama at " + server.URL + " (quick:latest, vectors:latest); vector store and reranker are scripted.",
		"E2E ", "TTFT ", "What to do", "The traces are in " + db, "ragtrace slow --db " + db,
	} {
		if !strings.Contains(unwrap(stdout.String()), unwrap(want)) {
			t.Errorf("standard output lacks %q:\n%s", want, &stdout)
		}
	}
	if strings.Contains(stdout.String(), "invented") {
		t.Error("a real Ollama's timings are called invented")
	}
	stdout.Reset()
	if code := Main([]string{"slow", "--db", db, "--json"}, &stdout, &stderr); code != exitOK {
		t.Fatalf("slow: exit code %d: %s", code, &stderr)
	}
	var a answer
	if err := json.Unmarshal(stdout.Bytes(), &a); err != nil || len(a.Questions) != 8 {
		t.Errorf("slow finds %d questions in the kept database, %v", len(a.Questions), err)
	}
}

func TestDemoKeepsNothingOnce(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var stdout, stderr bytes.Buffer
	// Nobody listens at that port: the demo fails after it has made its database.
	if code := Main([]string{"demo", "--once", "--ollama", "http://127.0.0.1:1"}, &stdout, &stderr); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(stderr.String(), "ragtrace demo: asking Ollama for its models: ") || stdout.Len() > 0 {
		t.Errorf("standard error %q, standard output %q", &stderr, &stdout)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDemoRefusesWhatIsNoURL(t *testing.T) {
	for _, url := range []string{"ftp://x", "http://", "://"} {
		var stdout, stderr bytes.Buffer
		if code := Main([]string{"demo", "--once", "--ollama", url}, &stdout, &stderr); code != exitUsage {
			t.Errorf("--ollama %s: exit code %d", url, code)
		}
		if !strings.Contains(stderr.String(), "is not a URL like http://127.0.0.1:11434") {
			t.Errorf("--ollama %s: %s", url, &stderr)
		}
	}
}
