package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/timings"
	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/fakeserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// serve serves h in memory, for a synctest bubble, and returns the transport that reaches it.
func serve(t *testing.T, h http.Handler) *http.Transport {
	t.Helper()
	l, dial := fakeserver.Listen()
	server := &http.Server{Handler: h}
	go server.Serve(l)
	rt := newTransport(8)
	rt.DialContext = dial
	t.Cleanup(func() {
		rt.CloseIdleConnections()
		server.Close()
	})
	return rt
}

func target(t *testing.T, rt http.RoundTripper, url, model, template string) *Target {
	t.Helper()
	to, err := resolve(t.Context(), rt, url, model, template)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func quiet(int, *timings.Result) {}

// ollama loads in 800 ms and answers "One two three." in five tokens of 20 ms, the end token counted; a prompt takes 100 ms,
// and 50 ms more right after the load. Handling takes 4 ms and is load; preparing takes 1 ms.
func ollama() *fakeserver.Ollama {
	return fakeserver.NewOllama(fakeserver.OllamaConfig{Models: []fakeserver.Model{
		{Name: "nomic-embed-text", Kind: fakeserver.Embed},
		{
			Name: "m", Load: 800 * ms, Prefill: 100 * ms, ColdPrefill: 50 * ms, TokenTime: 20 * ms,
			Answer: func(string) string { return "One two three." },
		},
	}})
}

// TestOllamaOnAGivenClock asks three times, with 2 s in between.
func TestOllamaOnAGivenClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := serve(t, ollama())
		to := target(t, rt, "http://ollama", "", "")
		if to.Model != "m:latest" || to.URL.Path != "/api/chat" || !strings.Contains(to.Note, "m:latest, the first of 2 of ollama") {
			t.Fatalf("model %q, path %s, note %q", to.Model, to.URL.Path, to.Note)
		}
		start := time.Now()
		var told []int
		results, err := run(t.Context(), rt, Config{
			Target: to, Prompts: []string{"why"}, N: 3, Idle: 2 * time.Second, Concurrency: 1,
			Answered: func(n int, _ *timings.Result) { told = append(told, n) },
		})
		if err != nil {
			t.Fatal(err)
		}
		type figures struct{ TTFT, E2E, TPOT, Load time.Duration }
		var got []figures
		for _, r := range results {
			m := r.Facts.Metrics()
			if !r.OK() || r.Facts.API != stages.APIOllama || m.Tokens.N != 5 {
				t.Errorf("%s, %d tokens", r.Line(), m.Tokens.N)
			}
			got = append(got, figures{m.TTFT.D, m.E2E.D, m.TPOT.D, r.Facts.Load.D})
		}
		want := []figures{
			{955 * ms, 1035 * ms, 20 * ms, 804 * ms}, // 4 + 800 + 1 + 150, and four steps
			{105 * ms, 185 * ms, 20 * ms, 4 * ms},
			{105 * ms, 185 * ms, 20 * ms, 4 * ms},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if took := time.Since(start); took != (1035+2000+185+2000+185)*ms {
			t.Errorf("all took %v", took)
		}
		if diff := cmp.Diff([]int{1, 2, 3}, told); diff != "" {
			t.Error(diff)
		}
	})
}

// TestConcurrency: two at a time on a server with one slot, after the first, which is asked alone and pays for the load.
func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := serve(t, ollama())
		results, err := run(t.Context(), rt, Config{
			Target: target(t, rt, "http://ollama/api/generate", "m", ""), Prompts: []string{"why", "who"}, N: 4, Concurrency: 2, Answered: quiet,
		})
		if err != nil || len(results) != 4 {
			t.Fatalf("%d results, %v", len(results), err)
		}
		var e2e []time.Duration
		for _, r := range results[:3] {
			e2e = append(e2e, r.Facts.Metrics().E2E.D)
			if alone := results[0].Began.Add(e2e[0]); r != results[0] && r.Began.Before(alone) {
				t.Errorf("%s began before the first was over", r.Input)
			}
		}
		slices.Sort(e2e[1:])
		// The first: 1035 as above. Of the next two one takes 185; the other waits for the slot until then, and takes 100 + 80.
		if diff := cmp.Diff([]time.Duration{1035 * ms, 185 * ms, 365 * ms}, e2e); diff != "" {
			t.Error(diff)
		}
	})
}

// An app answers questions in plain events, and notes what it was asked with.
type app struct {
	mu     sync.Mutex
	heads  []http.Header
	bodies []string
}

func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	a.heads, a.bodies = append(a.heads, r.Header), append(a.bodies, string(body))
	a.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	rc.Flush()
	time.Sleep(200 * ms)
	for _, word := range []string{"Brake", "pads"} {
		fmt.Fprintf(w, "data: %s\n\n", word)
		rc.Flush()
		time.Sleep(50 * ms)
	}
}

// TestApplication: an endpoint of its own gets the question, who asks, and trace context.
func TestApplication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(app)
		rt := serve(t, a)
		slow := rt.DialContext
		rt.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			time.Sleep(30 * ms)
			return slow(ctx, network, addr)
		}
		results, err := run(t.Context(), rt, Config{
			Target: target(t, rt, "http://app/ask", "", ""), Prompts: []string{`say "hi"`, "two"}, N: 2, Session: "s 1", Concurrency: 1, Answered: quiet,
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{`{"question":"say \"hi\""}`, `{"question":"two"}`}, a.bodies); diff != "" {
			t.Error(diff)
		}
		for i, h := range a.heads {
			r := results[i]
			trace := regexp.MustCompile(`^00-([0-9a-f]{32})-[0-9a-f]{16}-01$`).FindStringSubmatch(h.Get("Traceparent"))
			if len(trace) == 0 || trace[1] != r.Trace || h.Get("Ragtrace-Session") != "s 1" || h.Get("Ragtrace-Question") != strconv.Itoa(i+1) {
				t.Errorf("question %d came with %v, its trace is %s", i+1, h, r.Trace)
			}
			if h.Get("Accept-Encoding") != "" {
				t.Errorf("compression was asked for: %s", h.Get("Accept-Encoding"))
			}
		}
		// The first has to connect: Enter was 30 ms before it was sent.
		if enter := []string{a.heads[0].Get("Ragtrace-Enter"), a.heads[1].Get("Ragtrace-Enter")}; !slices.Equal(enter, []string{"30.000", "0.000"}) {
			t.Errorf("Enter %v, want 30 ms and 0 before the request", enter)
		}
		for i, want := range []time.Duration{230 * ms, 200 * ms} {
			if m := results[i].Facts.Metrics(); m.TTFT.D != want || m.E2E.D != want+50*ms || !results[i].OK() {
				t.Errorf("question %d: TTFT %v, E2E %v, want %v and 50 ms more", i+1, m.TTFT, m.E2E, want)
			}
		}
	})
}

// TestFailures: refusals, broken answers, no server, no end, a redirect. Each says what it was.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc := http.NewResponseController(w)
			switch r.URL.Path {
			case "/busy":
				http.Error(w, "overloaded", http.StatusServiceUnavailable)
			case "/broken":
				io.WriteString(w, "half an ans")
				rc.Flush()
				panic(http.ErrAbortHandler)
			case "/endless":
				io.WriteString(w, "begun")
				rc.Flush()
				<-r.Context().Done()
			case "/moved":
				http.Redirect(w, r, "/ask", http.StatusFound)
			}
		}))
		dead := newTransport(1)
		dead.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, fmt.Errorf("connection refused") }
		for _, c := range []struct {
			path, line string
			status     stages.Status
			rt         http.RoundTripper
			at         time.Duration
		}{
			{"/busy", "error: HTTP 503", stages.StatusError, rt, 0},
			{"/broken", "unexpected EOF", stages.StatusError, rt, 0},
			{"/endless", "no end of the answer within --timeout 3s", stages.StatusCancelled, rt, 3 * time.Second},
			{"/moved", "HTTP 302: a redirect, which was not followed", stages.StatusError, rt, 0},
			{"/x", "connection refused", stages.StatusError, dead, 0},
		} {
			results, err := run(t.Context(), c.rt, Config{
				Target: target(t, rt, "http://app"+c.path, "", ""), Prompts: []string{"q"}, N: 1, Concurrency: 1, Timeout: 3 * time.Second, Answered: quiet,
			})
			if err != nil || len(results) != 1 {
				t.Errorf("%s: %d results, %v", c.path, len(results), err)
				continue
			}
			r := results[0]
			if r.Facts.Status != c.status || !strings.Contains(r.Line(), c.line) || r.Facts.Marks.End.D != c.at {
				t.Errorf("%s: %s (%s) at %v, want %s with %q at %v", c.path, r.Line(), r.Facts.Status, r.Facts.Marks.End.D, c.status, c.line, c.at)
			}
		}
	})
}

// TestInterrupt: what was asked until then is there, the question under way too, and no other begins.
func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := serve(t, new(app))
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(400*ms, interrupt) // in the second question: each takes 300 ms
		results, err := run(ctx, rt, Config{
			Target: target(t, rt, "http://app/ask", "", ""), Prompts: []string{"q"}, N: 9, Concurrency: 1, Answered: quiet,
		})
		if err != nil || len(results) != 2 {
			t.Fatalf("%d results, %v, want two", len(results), err)
		}
		if !results[0].OK() || results[1].Facts.Status != stages.StatusCancelled || !strings.Contains(results[1].Line(), "interrupted") {
			t.Errorf("%s; %s", results[0].Line(), results[1].Line())
		}
		time.Sleep(time.Second) // the application notices
	})
}

// TestRecordings say the same as the questions did, filled or not, and hold no word of them unless they are to.
func TestRecordings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		mux.Handle("/ask", new(app))
		mux.Handle("/", ollama())
		rt := serve(t, mux)
		for _, path := range []string{"/ask?q=secret", "/api/chat", "/api/generate", "/v1/chat/completions", "/v1/completions"} {
			for _, content := range []bool{false, true} {
				dir := filepath.Join(t.TempDir(), "new")
				rec, err := NewRecorder(dir, "s/1 ü", content)
				if err != nil {
					t.Fatal(err)
				}
				results, err := run(t.Context(), rt, Config{
					Target: target(t, rt, "http://host"+path, "m", ""), Prompts: []string{"secret words, ünîcödé"}, N: 2, Concurrency: 1,
					Recorder: rec, Answered: quiet,
				})
				if err != nil {
					t.Fatal(err)
				}
				files, _ := filepath.Glob(dir + "/s_1__-*.json")
				if len(files) != 2 {
					t.Fatalf("%s: files %v", path, files)
				}
				for i, file := range files {
					b, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					again, err := timings.Read(t.Context(), results[i].Input, strings.NewReader(string(b)), false)
					if err != nil {
						t.Fatal(err)
					}
					again.Trace = results[i].Trace
					if diff := cmp.Diff(asJSON(t, results[i]), asJSON(t, again)); diff != "" {
						t.Errorf("%s: it is not the same when it is read back (-asked +read):\n%s", path, diff)
					}
					for _, word := range []string{"secret", "cödé", "One", "three", "Brake"} {
						if !content && strings.Contains(string(b), word) {
							t.Errorf("%s: %q is in the recording:\n%s", path, word, b)
						}
					}
					if content && !(strings.Contains(string(b), "secret") && (strings.Contains(string(b), "three") || strings.Contains(string(b), "Brake"))) {
						t.Errorf("%s: what was said is not in the recording:\n%s", path, b)
					}
				}
				if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("the file's mode is %v", info.Mode())
				}
			}
		}
	})
}

func asJSON(t *testing.T, r *timings.Result) string {
	t.Helper()
	b, err := json.MarshalIndent(r.JSON(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRecorderFails: a directory that cannot be made, a file that is there already. The run ends with the error.
func TestRecorderFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewRecorder(file, "", false); err == nil {
		t.Error("a file was taken for a directory")
	}
	synctest.Test(t, func(t *testing.T) {
		rt := serve(t, new(app))
		rec, err := NewRecorder(t.TempDir(), "", false)
		if err != nil {
			t.Fatal(err)
		}
		rec.dir = filepath.Join(rec.dir, "gone")
		_, err = run(t.Context(), rt, Config{
			Target: target(t, rt, "http://app/ask", "", ""), Prompts: []string{"q"}, N: 3, Concurrency: 2, Recorder: rec, Answered: quiet,
		})
		if err == nil || !strings.Contains(err.Error(), "writing a recording: ") {
			t.Errorf("error %v", err)
		}
	})
}

// TestOverTLS speaks HTTP/2: Enter is in the request there too.
func TestOverTLS(t *testing.T) {
	heads := make(chan *http.Request, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heads <- r
		io.WriteString(w, "hello")
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	rt := server.Client().Transport.(*http.Transport)
	defer rt.CloseIdleConnections()
	results, err := run(t.Context(), rt, Config{
		Target: target(t, rt, server.URL+"/ask", "", ""), Prompts: []string{"q"}, N: 1, Concurrency: 1, Answered: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := <-heads
	ms, err := strconv.ParseFloat(r.Header.Get("Ragtrace-Enter"), 64)
	if r.ProtoMajor != 2 || err != nil || ms <= 0 || !results[0].OK() {
		t.Errorf("HTTP/%d, Enter %q, %s", r.ProtoMajor, r.Header.Get("Ragtrace-Enter"), results[0].Line())
	}
}
