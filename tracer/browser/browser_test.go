package browser_test

import (
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
	"github.com/ragtrace/ragtrace/tracer/browser"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

func TestScriptIsSmall(t *testing.T) {
	if n := len(browser.Script); n >= 4000 {
		t.Errorf("the script has %d bytes, want less than 4000", n)
	}
}

func TestHandler(t *testing.T) {
	get := func(method, path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		browser.Handler().ServeHTTP(w, r)
		return w
	}
	w := get("GET", browser.Path)
	if w.Code != 200 || w.Body.String() != browser.Script {
		t.Errorf("answered %d and %d bytes", w.Code, w.Body.Len())
	}
	if h := w.Header(); h.Get("Content-Type") != "text/javascript; charset=utf-8" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", h)
	}
	if w := get("GET", browser.Path, "If-None-Match", w.Header().Get("Etag")); w.Code != http.StatusNotModified {
		t.Errorf("the same script was answered %d", w.Code)
	}
	for what, want := range map[[2]string]int{{"POST", browser.Path}: 405, {"GET", "/.ragtrace/"}: 404, {"GET", tracer.PathPaint}: 405, {"POST", tracer.PathPaint}: 400} {
		if got := get(what[0], what[1]).Code; got != want {
			t.Errorf("%s %s was answered %d, want %d", what[0], what[1], got, want)
		}
	}
}

// strict is a policy that allows a page nothing but its own origin's scripts and calls.
const strict = "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'"

// startApp serves the page of testdata, and answers its questions after 200 ms, for 400 ms.
func startApp(t *testing.T) (*tracertest.Recorder, string) {
	rec := tracertest.New(t)
	mux := http.NewServeMux()
	mux.Handle("GET /.ragtrace/", browser.Handler())
	mux.Handle("POST /.ragtrace/", browser.Handler())
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /{file}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", strict)
		http.ServeFile(w, r, "testdata/"+path.Base(r.URL.Path))
	})
	ask := tracer.Middleware(http.HandlerFunc(answer), tracer.WithTracerProvider(rec.TracerProvider()),
		tracer.WithPropagators(propagation.TraceContext{}))
	mux.Handle("GET /ask", ask)
	mux.Handle("POST /ask", ask)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return rec, server.URL
}

func answer(w http.ResponseWriter, r *http.Request) {
	before, after, end := "", "", ""
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/event-stream")
		before, after, end = "data: ", "\n\n", "event: end\ndata:\n\n"
	}
	http.NewResponseController(w).Flush() // the head alone shows nothing to anybody
	for i := range 5 {
		if i == 0 {
			time.Sleep(200 * time.Millisecond)
		} else {
			time.Sleep(100 * time.Millisecond)
		}
		if i == 4 {
			after += end
		}
		io.WriteString(w, before+"piece "+after)
		http.NewResponseController(w).Flush()
	}
}

// truth are the marks that the page itself took, in ms.
type truth struct{ Entered, Sent, First, Received, Painted float64 }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// A page waits 300 ms before it asks, and 200 ms with its last text: the stages show that, whatever the clocks say.
func TestEnterToLastPaint(t *testing.T) {
	chrome := newBrowser(t)
	for _, c := range []struct {
		name, query string
		hours       int
	}{
		{"fetch, its clock an hour late", "", -1},
		{"event source, its clock an hour early", "?events", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, url := startApp(t)
			tab := open(t, chrome, url+"/page.html"+c.query, c.hours)
			// A busy machine makes everybody wait, but not each time. It hides nothing that is wrong each time.
			right := 0
			for i := 0; right < 2; i++ {
				if i == 20 {
					t.Fatal("the lengths are more than 30 ms off, each time but once at the most")
				}
				tab.run(chromedp.Focus("input"), chromedp.KeyEvent("why?"), chromedp.KeyEvent(kb.Enter))
				tab.until(fmt.Sprintf("window.done === %d", i+1))
				root := wait(t, rec, i+1)
				page := eval[truth](tab, "window.truth")
				stages := stagesOf(rec, root)
				off := map[string]float64{
					"enter, from 300 ms":             stages["enter"] - 300,
					"paint, from 200 ms":             stages["paint"] - 200,
					"enter, from the page's":         stages["enter"] - (page.Sent - page.Entered),
					"paint, from the page's":         stages["paint"] - (page.Painted - page.Received),
					"question, from the page's":      stages["question"] - (page.Painted - page.Entered),
					"time to paint, from the page's": stages["first paint"] - (page.First - page.Entered),
				}
				t.Logf("ms off: %v", off)
				if !slices.ContainsFunc(slices.Collect(maps.Values(off)), func(d float64) bool { return math.Abs(d) > 30 }) {
					right++
				}
				if f := tracertest.Value(root, attr.Flags).AsStringSlice(); len(f) > 0 {
					t.Errorf("flags %v", f)
				}
				if root.Parent().IsValid() {
					t.Error("the question has a parent that nobody recorded")
				}
			}
		})
	}
}

// Whoever leaves at once has seen it too.
func TestLeavingThePage(t *testing.T) {
	rec, url := startApp(t)
	tab := open(t, newBrowser(t), url+"/page.html", 0)
	tab.run(chromedp.Focus("input"), chromedp.KeyEvent("why?"), chromedp.KeyEvent(kb.Enter))
	tab.until("window.done === 1 && document.querySelector('.answer').textContent.endsWith('the end')")
	eval[bool](tab, `new Promise(done => { // when the last text is painted, and who waits for that has been told
		const frame = next => requestAnimationFrame(() => setTimeout(next, 100))
		frame(() => frame(() => done(true)))
	})`)
	tab.run(chromedp.Navigate("about:blank"))
	root := wait(t, rec, 1)
	if paint := stagesOf(rec, root)["paint"]; paint < 195 || len(tracertest.Value(root, attr.Flags).AsStringSlice()) > 0 {
		t.Errorf("paint %.1f ms, %v", paint, root.Attributes())
	}
}

// wait waits for the nth question at /ask.
func wait(t *testing.T, rec *tracertest.Recorder, n int) sdktrace.ReadOnlySpan {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		q := slices.DeleteFunc(rec.Named("question"), func(s sdktrace.ReadOnlySpan) bool {
			return tracertest.Value(s, "url.path").AsString() != "/ask"
		})
		if len(q) >= n {
			return q[n-1]
		}
		if time.Now().After(end) {
			t.Fatalf("question %d did not end; spans:\n%s", n, rec.Tree())
		}
	}
}

// stagesOf are the lengths of a question and of its stages in ms, and what its user saw first.
func stagesOf(rec *tracertest.Recorder, root sdktrace.ReadOnlySpan) map[string]float64 {
	lengths := map[string]float64{
		"question":    ms(root.EndTime().Sub(root.StartTime())),
		"first paint": 1000 * tracertest.Value(root, attr.UserTimeToFirstPaint).AsFloat64(),
	}
	for _, s := range rec.Ended() {
		if s.Parent().SpanID() == root.SpanContext().SpanID() {
			lengths[s.Name()] += ms(s.EndTime().Sub(s.StartTime()))
		}
	}
	return lengths
}

// What a page can see of its calls is the same with the script and without.
func TestPageSeesNoDifference(t *testing.T) {
	chrome := newBrowser(t)
	var asked sync.Map // by what was asked that the script announced itself
	mux := http.NewServeMux()
	for _, name := range []string{"echo", "stream", "hang", "cut", "events"} {
		mux.HandleFunc("/probe/"+name, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Ragtrace-Page")+r.URL.Query().Get("ragtrace-page") != "" {
				asked.Store(name, true)
			}
			probe(w, r)
		})
	}
	mux.Handle("/.ragtrace/", browser.Handler())
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/probes.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/probes.js") })
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "<!doctype html><title>x</title>")
		if name := r.URL.Query().Get("with"); name != "" {
			fmt.Fprintf(w, "<script src=%s data-ask=/probe/%s data-answer=p data-paint=/nowhere></script>", browser.Path, name)
		}
		io.WriteString(w, "<script src=/probes.js></script>")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	defer server.CloseClientConnections()
	see := func(query string) map[string]string {
		tab := open(t, chrome, server.URL+"/page"+query, 0)
		seen := eval[map[string]string](tab, "probe()")
		tab.run(chromedp.Navigate("about:blank"))
		tab.forgive() // what the probes provoke
		return seen
	}
	without := see("")
	asked.Range(func(name, _ any) bool {
		t.Errorf("there is a script without the script: %v", name)
		return true
	})
	for _, name := range []string{"echo", "stream", "hang", "cut", "events"} {
		if diff := cmp.Diff(without, see("?with="+name)); diff != "" {
			t.Errorf("%s (-without +with):\n%s", name, diff)
		}
		if _, ok := asked.Load(name); !ok {
			t.Errorf("%s was not announced", name)
		}
	}
	if n := len(without); n < 30 || without["header"] != `POST text/plain;charset=UTF-8 ["a"] true "hello"` {
		t.Errorf("%d probes: %v", n, without)
	}
}

// probe answers the calls of testdata/probes.js.
func probe(w http.ResponseWriter, r *http.Request) {
	flush := func() { http.NewResponseController(w).Flush() }
	switch path.Base(r.URL.Path) {
	case "echo":
		if r.URL.Query().Has("status") {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		body, _ := io.ReadAll(r.Body)
		traced := r.Header.Get("Traceparent") == "00-0102030405060708090a0b0c0d0e0f10-1112131415161718-01" // the page's own
		fmt.Fprintf(w, "%s %s %q %v %q", r.Method, r.Header.Get("Content-Type"), r.Header["X-Own"], traced, body)
	case "stream":
		for range 100 {
			if _, err := w.Write(make([]byte, 10000)); err != nil {
				return
			}
			flush()
		}
	case "hang":
		if r.URL.Query().Has("begun") {
			io.WriteString(w, "begun")
			flush()
		}
		<-r.Context().Done()
	case "cut":
		if r.URL.Query().Has("late") {
			io.WriteString(w, "half")
			flush()
		}
		panic(http.ErrAbortHandler)
	case "events":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: end\ndata: %s\n\n", r.URL.Query().Get("a"))
		flush()
		<-r.Context().Done()
	}
}

// Pages ask in many ways. Each row says what is pressed, and between which lengths the enter stage is then, in ms; 0 is none.
func TestWaysToEnter(t *testing.T) {
	chrome := newBrowser(t)
	const page = `<!doctype html><title>x</title><script src=/.ragtrace/enter.js data-ask=/ask data-session=s1></script>
		<script src=/ways.js defer></script><form id=f><input id=in><button id=submit>Ask</button></form>
		<input id=find><textarea id=area></textarea><div id=edit contenteditable=true>x</div><button id=api>Ask</button><button id=silent>Ask</button>`
	const script = `
		const $ = id => document.getElementById(id)
		const ask = () => setTimeout(() => fetch('/ask', { method: 'POST' }).then(r => r.text()), 100)
		$('f').onsubmit = e => { e.preventDefault(); ask() }
		$('area').onkeydown = e => { if (e.key === 'Enter' && e.ctrlKey) { e.preventDefault(); ask() } }
		$('edit').onkeydown = e => { if (e.key === 'Enter') { e.preventDefault(); ask() } }
		$('api').onclick = () => { ragtrace.enter(); ask() }
		$('silent').onclick = ask
		window.pause = ms => new Promise(done => setTimeout(done, ms))`
	rec := tracertest.New(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) })
	mux.HandleFunc("/ways.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, script)
	})
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/.ragtrace/enter.js", browser.Handler().ServeHTTP)
	mux.HandleFunc("/ask", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "answer") })
	server := httptest.NewServer(tracer.Middleware(mux, tracer.WithTracerProvider(rec.TracerProvider()),
		tracer.WithPropagators(propagation.TraceContext{})))
	defer server.Close()
	defer server.CloseClientConnections()
	tab := open(t, chrome, server.URL+"/page", 0)
	ctrl := chromedp.KeyModifiers(chromedp.ModifierCtrl)
	click := func(id string) chromedp.Action[chromedp.Void] { return chromedp.Click("#" + id) }
	// Longer than any machine takes to answer a key, so that the earlier Enter is known by its length.
	pause := func() { eval[bool](tab, "pause(2000).then(() => true)") }
	for i, c := range []struct {
		name  string
		press func()
		enter bool
	}{
		{"Enter in a form", func() { tab.run(chromedp.Focus("#in"), chromedp.KeyEvent(kb.Enter)) }, true},
		{"submit button", func() { tab.run(click("submit")) }, true},
		{"Ctrl+Enter in a text area", func() { tab.run(chromedp.Focus("#area"), chromedp.KeyEvent(kb.Enter, ctrl)) }, true},
		{"Enter in an editor", func() {
			tab.run(chromedp.Focus("#edit"))
			call(tab, input.DispatchKeyEvent, input.DispatchKeyEventParams{ // no character follows, since the page forbids it
				Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13,
			})
		}, true},
		{"the page says so", func() { tab.run(click("api")) }, true},
		{"nothing says so", func() { tab.run(click("silent")) }, false},
		{"a new line, later a click", func() {
			tab.run(chromedp.Focus("#area"), chromedp.KeyEvent(kb.Enter))
			pause()
			tab.run(chromedp.Focus("#silent"), chromedp.KeyEvent(" "))
		}, false},
		{"a new line, later submit", func() {
			tab.run(chromedp.Focus("#area"), chromedp.KeyEvent(kb.Enter))
			pause()
			tab.run(click("submit"))
		}, true},
		{"Enter that asks nothing, later Enter on a button", func() {
			tab.run(chromedp.Focus("#find"), chromedp.KeyEvent(kb.Enter))
			pause()
			tab.run(chromedp.Focus("#silent"), chromedp.KeyEvent(kb.Enter))
		}, false},
		{"the page by itself", func() { eval[bool](tab, "fetch('/ask'), true") }, false},
	} {
		c.press()
		root := wait(t, rec, i+1)
		if s := tracertest.Value(root, attr.SessionID).AsString(); s != "s1" {
			t.Errorf("%s: session %q", c.name, s)
		}
		enter, ok := stagesOf(rec, root)["enter"]
		if ok != c.enter || ok && (enter < 99 || enter > 2000) {
			t.Errorf("%s: enter lasts %.1f ms", c.name, enter)
		}
	}
}

// Without its own server side, below another's path, the page works and nothing is thrown.
func TestScriptAlone(t *testing.T) {
	chrome := newBrowser(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ask":
			answer(w, r)
		case "/.ragtrace/enter.js":
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, browser.Script)
		case "/page.html", "/page.js":
			http.ServeFile(w, r, "testdata"+r.URL.Path)
		case "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusOK) // as a server that answers everything with its page
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	defer server.CloseClientConnections()
	for _, query := range []string{"", "?events"} {
		tab := open(t, chrome, server.URL+"/page.html"+query, 0)
		tab.run(chromedp.Focus("input"), chromedp.KeyEvent("why?"), chromedp.KeyEvent(kb.Enter))
		tab.until("window.done === 1")
		if got, want := eval[string](tab, "document.querySelector('.answer').textContent"), strings.Repeat("piece ", 5)+"the end"; strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("the page shows %q", got)
		}
	}
}
