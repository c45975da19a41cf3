package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// serveBinary builds ragtrace and runs its server over a store of its own.
func serveBinary(t *testing.T) (ragtrace, db, page, otlp string) {
	t.Helper()
	dir := t.TempDir()
	ragtrace, db = filepath.Join(dir, "ragtrace"), filepath.Join(dir, "traces.db")
	build := exec.Command("go", "build", "-o", ragtrace, "./cmd/ragtrace")
	build.Dir = "../../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var said bytes.Buffer // written by one, read when it has ended, but for what is in the file
	log, err := os.Create(filepath.Join(dir, "serve.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	server := exec.Command(ragtrace, "serve", "--db", db, "--http", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0", "--jaeger-thrift", "")
	server.Stdout, server.Stderr = log, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		if err := server.Wait(); err != nil {
			t.Errorf("ragtrace serve ended with %v: %s", err, &said)
		}
	})
	for range 400 {
		b, err := os.ReadFile(log.Name())
		if err != nil {
			t.Fatal(err)
		}
		where := regexp.MustCompile(`(?s)OTLP/HTTP on ([^,]+),.*page on (http://[^/]+)/\n`).FindSubmatch(b)
		if where != nil {
			return ragtrace, db, string(where[2]), "http://" + string(where[1]) + "/v1/traces"
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("ragtrace serve does not say where it listens")
	return
}

// A listed question is one of the JSON of a list of questions.
type listed struct {
	Session                                  string
	Number                                   int
	E2E, TTFT, Inside, Outside, Unattributed *float64
}

func (q *listed) UnmarshalJSON(b []byte) error {
	var v struct {
		Session      string
		Number       int
		E2E          *float64 `json:"e2e_ms"`
		TTFT         *float64 `json:"ttft_ms"`
		Inside       *float64 `json:"inside_llm_ms"`
		Outside      *float64 `json:"outside_llm_ms"`
		Unattributed *float64 `json:"unattributed_ms"`
	}
	err := json.Unmarshal(b, &v)
	*q = listed(v)
	return err
}

func shownMS(ms *float64) string {
	if ms == nil {
		return "–"
	}
	return report.Duration(time.Duration(*ms * float64(time.Millisecond)))
}

// The demo runs while its store is looked at, by the programs that people have.
func TestTheDemoInABrowser(t *testing.T) {
	b := newBrowser(t)
	ragtrace, db, page, otlp := serveBinary(t)
	wide, narrow := b.open(t, page, 1440, false), b.open(t, page, 360, true)
	tabs := map[string]*tab{"1440-light": wide, "360-dark": narrow}
	for _, tab := range tabs {
		tab.visit("/")
		tab.until("document.getElementById('live-state') === null && document.querySelectorAll('.bars a').length === 0")
	}
	out, err := exec.Command(ragtrace, "demo", "--db", db, "--json").Output()
	if err != nil {
		t.Fatalf("ragtrace demo: %v", err)
	}
	var demo struct {
		Questions []listed
		Text      string
		Slow      []struct {
			Session string
			Number  int
		}
	}
	if err := json.Unmarshal(out, &demo); err != nil {
		t.Fatal(err)
	}
	if len(demo.Questions) != 8 || len(demo.Slow) == 0 {
		t.Fatalf("the demo has %d questions, %d stand out; want 8 and some", len(demo.Questions), len(demo.Slow))
	}
	for name, tab := range tabs {
		// They come by themselves; the last one's root may come after its other spans.
		tab.until(fmt.Sprintf("document.querySelectorAll('.bars a').length === %d && document.querySelector('.sentence').textContent === %q", len(demo.Questions), demo.Text))
		var want []string
		for _, s := range demo.Slow {
			want = append(want, fmt.Sprintf("Question %d of session %s", s.Number, s.Session))
		}
		marked := eval[[]string](tab, "[...document.querySelectorAll('.bars a:has(.slowmark)')].map(a => a.getAttribute('aria-label').split('\\n')[0])")
		if diff := cmp.Diff(want, marked, cmp.Transformer("set", func(names []string) map[string]bool {
			set := make(map[string]bool)
			for _, n := range names {
				set[n] = true
			}
			return set
		})); diff != "" {
			t.Errorf("%s: marked are (-demo +page):\n%s", name, diff)
		}
		var figures [][]string
		for _, q := range demo.Questions {
			figures = append(figures, []string{q.Session, fmt.Sprint(q.Number), shownMS(q.E2E), shownMS(q.TTFT), shownMS(q.Inside), shownMS(q.Outside), shownMS(q.Unattributed)})
		}
		cells := eval[[][]string](tab, "[...document.querySelectorAll('.table tbody tr')].map(r => [...r.cells].slice(0, 7).map(c => c.textContent.trim()))")
		if diff := cmp.Diff(figures, cells); diff != "" {
			t.Errorf("%s: figures (-demo +page):\n%s", name, diff)
		}
		tab.shoot("demo-" + name)
	}

	t.Run("a question that is received comes by itself", func(t *testing.T) {
		for n := 1; n <= 3; n++ {
			send(t, otlp, n)
			wide.until(fmt.Sprintf("document.querySelectorAll('.bars a').length === %d", len(demo.Questions)+n))
		}
	})

	t.Run("from the mark to the question", func(t *testing.T) {
		for name, tab := range tabs {
			path := eval[string](tab, "document.querySelector('.slow a').getAttribute('href')")
			tab.visit(path)
			var v struct {
				Question listed
				Stages   []struct {
					Stage string
					MS    float64
				}
			}
			_, body, _ := get(t, page+path, "application/json")
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Fatal(err)
			}
			if text, want := eval[string](tab, "document.querySelector('.sentence').textContent"), "E2E "+shownMS(v.Question.E2E)+","; !strings.HasPrefix(text, want) {
				t.Errorf("%s: it says %q, want %q", name, text, want)
			}
			var want []string
			for _, s := range v.Stages {
				want = append(want, shownMS(&s.MS))
			}
			got := eval[[]string](tab, "[...document.querySelectorAll('[aria-labelledby=st] tbody tr')].map(r => r.cells[1].textContent.trim())")
			if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
				t.Errorf("%s: stages (-JSON +page):\n%s", name, diff)
			}
			tab.shoot("demo-question-" + name)
		}
	})
}

// send has a server receive the n-th question of a session of its own, which ends now.
func send(t *testing.T, otlp string, n int) {
	t.Helper()
	end := time.Now().UnixNano()
	body := fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"live"}}]},"scopeSpans":[{"spans":[{
		"traceId":"00000000000000000000000000000a%02d","spanId":"000000000000000a","name":"question","kind":2,
		"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[
			{"key":"ragtrace.stage","value":{"stringValue":"question"}},{"key":"session.id","value":{"stringValue":"live"}},
			{"key":"ragtrace.question.number","value":{"intValue":"%d"}}]}]}]}]}`, n, end-int64(time.Second), end, n)
	resp, err := http.Post(otlp, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("sending a question is answered %s", resp.Status)
	}
}
