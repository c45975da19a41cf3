package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

// until waits for an expression to become true. While the browser goes to another page there may be nothing to evaluate it.
func (tab *tab) until(expression string) {
	tab.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		is, err := chromedp.Run(tab.ctx, chromedp.Evaluate[bool](expression))
		if err == nil && is {
			return
		}
		if time.Now().After(end) {
			tab.t.Fatalf("it does not become true: %s (%v)", expression, err)
		}
	}
}

func TestBehaviourInABrowser(t *testing.T) {
	b := newBrowser(t)
	one := "/q/" + traceID(1).String() + "/1"
	served := func(t *testing.T) (*shelf, string) {
		s := &shelf{}
		s.add(ten()...)
		return s, start(t, s, web.Options{Local: true}).URL
	}

	t.Run("the slow question is marked", func(t *testing.T) {
		_, url := served(t)
		tab := b.open(t, url, 1440, false)
		tab.visit("/")
		if n := eval[int](tab, "document.querySelectorAll('.bars .slowmark').length"); n != 1 {
			t.Errorf("%d marks, want 1", n)
		}
		label := eval[string](tab, "document.querySelector('.bars a:has(.slowmark)').getAttribute('aria-label')")
		for _, says := range []string{"Question 1 of session a", "E2E 3700 ms, 3000 ms over", "inside the LLM 3600 ms, outside 100 ms", "model load 3000 ms (cold)"} {
			if !strings.Contains(label, says) {
				t.Errorf("%q without %q", label, says)
			}
		}
		// Its bar is as much higher as it took longer: 3700 / 700.
		ratio := eval[float64](tab, `(() => { const h = i => { const r = [...document.querySelectorAll('.bars a')[i].querySelectorAll('.b > rect[class]:not(.hit):not(.rim)')];
			return r.reduce((sum, x) => sum + x.getBoundingClientRect().height, 0); }; return h(0) / h(1); })()`)
		if ratio < 5.2 || ratio > 5.4 {
			t.Errorf("the first bar is %v times as high as the second, want 5.29", ratio)
		}
	})

	t.Run("a new question comes by itself", func(t *testing.T) {
		s, url := served(t)
		tab := b.open(t, url, 1440, false)
		tab.visit("/")
		tab.until("document.getElementById('live-state').textContent === 'waiting for questions'")
		for n := 11; n <= 13; n++ {
			s.add(script{session: "a", number: n, at: time.Duration(n) * 20 * time.Second}.spans(n)...)
			tab.until(fmt.Sprintf("document.querySelectorAll('.bars a').length === %d", n))
			if says := eval[string](tab, "document.getElementById('live-state').textContent"); says != "1 new question" {
				t.Errorf("it says %q", says)
			}
		}
		tab.run(chromedp.Click("#live"))
		s.add(script{session: "a", number: 14, at: 400 * time.Second}.spans(14)...)
		time.Sleep(700 * time.Millisecond)
		if n := eval[int](tab, "document.querySelectorAll('.bars a').length"); n != 13 {
			t.Errorf("paused, it shows %d questions", n)
		}
	})

	t.Run("the first question comes into an empty page", func(t *testing.T) {
		s := &shelf{}
		tab := b.open(t, start(t, s, web.Options{}).URL, 1440, false)
		tab.visit("/")
		time.Sleep(300 * time.Millisecond)
		s.add(ten()...)
		tab.until("document.querySelectorAll('.bars a').length === 10")
	})

	t.Run("keys walk the views", func(t *testing.T) {
		_, url := served(t)
		tab := b.open(t, url, 1440, false)
		tab.visit("/")
		tab.run(chromedp.KeyEvent(kb.Tab))
		if text := eval[string](tab, "document.activeElement.className"); text != "skip" {
			t.Errorf("the first stop is %q, not the link to the content", text)
		}
		var stops []string
		for range 60 {
			tab.run(chromedp.KeyEvent(kb.Tab))
			at := eval[string](tab, `(() => { const e = document.activeElement; if (e === document.body) return '';
				const s = getComputedStyle(e), hit = e.querySelector && e.querySelector('.hit');
				const seen = s.outlineStyle !== 'none' || e.type === 'datetime-local' || // whose parts show it themselves
					 hit && getComputedStyle(hit).stroke !== 'none';
				return (e.closest('.bars') ? 'bar' : e.id || e.name || e.textContent.trim().slice(0, 20)) + (seen ? '' : ' unseen'); })()`)
			if strings.HasSuffix(at, "unseen") {
				t.Errorf("the focus cannot be seen at %s", at)
			}
			if at == "" {
				break
			}
			stops = append(stops, at)
		}
		t.Log(strings.Join(stops, " | "))
		bars := 0
		for _, stop := range stops {
			if stop == "bar" {
				bars++
			}
		}
		if bars != 1 {
			t.Errorf("the bars are %d stops, want 1", bars)
		}
		tab.run(chromedp.Focus(".bars a[tabindex='0']"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
		if label := eval[string](tab, "document.getElementById('tip').textContent"); !strings.HasPrefix(label, "Question 3 of session a") {
			t.Errorf("two to the right it tells of %q", label)
		}
		tab.run(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Enter))
		tab.until("location.pathname === '/q/" + traceID(10).String() + "/10'")
		tab.until("document.readyState === 'complete'")
		tab.run(chromedp.KeyEvent(kb.ArrowLeft))
		tab.until("location.pathname === '/q/" + traceID(9).String() + "/9'")
	})

	t.Run("a span opens in its place", func(t *testing.T) {
		_, url := served(t)
		tab := b.open(t, url, 1440, false)
		tab.visit(one)
		tab.run(chromedp.Focus("#fall li:nth-child(3) a"), chromedp.KeyEvent(kb.Enter))
		tab.until("document.querySelector('#fall .more') !== null")
		if text := eval[string](tab, "document.querySelector('#fall .more').textContent"); !strings.Contains(text, "gen_ai.request.model") {
			t.Errorf("it shows %q", text)
		}
		if open := eval[string](tab, "document.querySelector('#fall li:nth-child(3) a').getAttribute('aria-expanded')"); open != "true" {
			t.Errorf("aria-expanded %q", open)
		}
		tab.shoot("span-open-1440-light")
		tab.run(chromedp.KeyEvent(kb.Enter))
		tab.until("document.querySelector('#fall .more') === null")
	})

	t.Run("dragging over bars zooms to them", func(t *testing.T) {
		_, url := served(t)
		tab := b.open(t, url, 1440, false)
		tab.visit("/")
		at := func(i int) (x, y float64) {
			return eval[float64](tab, fmt.Sprintf("(() => { const r = document.querySelectorAll('.bars .hit')[%d].getBoundingClientRect(); return (r.left + r.right) / 2; })()", i)),
				eval[float64](tab, "document.querySelector('.bars').getBoundingClientRect().top + 200")
		}
		x1, y := at(2)
		x2, _ := at(8)
		tab.run(chromedp.DragAndDropXY(x1, y, x2, y, 5))
		tab.until("location.search === '?first=2&show=7'")
		tab.until("document.querySelectorAll('.bars a').length === 7")
	})

	t.Run("filters work by keyboard", func(t *testing.T) {
		_, url := served(t)
		tab := b.open(t, url, 360, false)
		tab.visit("/")
		tab.run(chromedp.Focus("input[name=slow]"), chromedp.KeyEvent(" "), chromedp.Focus("button"), chromedp.KeyEvent(kb.Enter))
		tab.until("new URLSearchParams(location.search).get('slow') === '1'")
		tab.until("document.querySelectorAll('.bars a').length === 1")
	})

	t.Run("without scripts it is all there", func(t *testing.T) {
		_, url := served(t)
		tab := b.open(t, url, 1440, false)
		call(tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		for _, path := range []string{"/", one, "/compare", "/numbers"} {
			tab.visit(path)
		}
		tab.visit(one)
		tab.run(chromedp.Click("#fall li:nth-child(3) a"), chromedp.WaitReady("#span"))
	})

	t.Run("500 spans are drawn at once", func(t *testing.T) {
		s := &shelf{}
		s.add(wide(500)...)
		tab := b.open(t, start(t, s, web.Options{}).URL, 1440, false)
		for range 3 { // the first time the browser itself is cold
			bytes := tab.visit(one)
			rows := eval[int](tab, "document.querySelectorAll('#fall li').length")
			drawn := eval[float64](tab, `(() => { const main = document.querySelector('main'), t = performance.now();
				main.style.display = 'none'; main.offsetHeight; main.style.display = ''; main.offsetHeight; return performance.now() - t; })()`)
			loaded := eval[float64](tab, "(() => { const n = performance.getEntriesByType('navigation')[0]; return n.loadEventEnd - n.responseStart; })()")
			t.Logf("%d rows, %d bytes: %.0f ms from the first byte to all loaded, of it %.0f ms of layout", rows, bytes, loaded, drawn)
			if rows < 500 || bytes > mostBytes {
				t.Errorf("%d rows of 500 in %d bytes", rows, bytes)
			}
		}
		tab.shoot("500-spans-1440-light")
	})

	t.Run("print and reduced motion", func(t *testing.T) {
		_, url := served(t)
		tab := b.open(t, url, 1440, true)
		call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}, {Name: "prefers-color-scheme", Value: "dark"}}})
		tab.visit("/")
		for selector, want := range map[string]string{".filters": "none", ".bars": "block"} {
			if got := eval[string](tab, "getComputedStyle(document.querySelector('"+selector+"')).display"); got != want {
				t.Errorf("printed, %s is %s", selector, got)
			}
		}
		if got := eval[string](tab, "getComputedStyle(document.body).backgroundColor"); got != "rgb(255, 255, 255)" {
			t.Errorf("printed on %s", got)
		}
		tab.shoot("print")
	})
}

// hostile is text that must stay text.
var hostile = []string{
	`<script>document.title = 'run'</script>`, `"><img src=x onerror="document.title='run'">`, `'-alert(1)-'`, `{{.}}`, `javascript:document.title='run'`,
	"\u202Ereversed\u202C", "null\x00byte", "\xff\xfe not UTF-8", strings.Repeat("long", 250_000), `</svg></title><script>document.title='run'</script>`,
}

func TestHostileTextInABrowser(t *testing.T) {
	b := newBrowser(t)
	s := &shelf{}
	for i, text := range hostile {
		spans := script{session: text, number: i + 1, at: time.Duration(i) * time.Minute, name: text,
			attrs: model.Attrs{text: text, "gen_ai.request.model": text, "gen_ai.provider.name": text, "ragtrace.flags": []any{text}, "error.type": text}}.spans(i + 1)
		spans[2].Events = []model.Event{{Time: spans[2].Start, Name: text, Attrs: model.Attrs{text: text}}}
		spans[1].Status, spans[1].StatusMessage = model.StatusError, text
		s.add(spans...)
	}
	server := start(t, s, web.Options{})
	tab := b.open(t, server.URL, 360, false)
	paths := []string{"/", "/numbers", "/compare", "/?session=%3Cscript%3Edocument.title%3D%27run%27%3C%2Fscript%3E", "/q/%3Cscript%3E", "/compare?a=%22%3E%3Cscript%3E&b=warm"}
	for i := range hostile {
		q := "/q/" + traceID(i+1).String()
		paths = append(paths, fmt.Sprintf("%s/%d", q, i+1), q+"/s/0000000000000003")
	}
	for _, path := range paths {
		if status, _, _ := get(t, server.URL+path, "text/html"); status >= 400 {
			continue // the console would tell of it; what it shows is tested without a browser
		}
		bytes := tab.visit(path)
		if bytes > mostBytes {
			t.Errorf("%s weighs %d bytes", path, bytes)
		}
		time.Sleep(20 * time.Millisecond)
		if title := eval[string](tab, "document.title"); !strings.HasSuffix(title, "ragtrace") {
			t.Errorf("%s: something ran: %s", path, title)
		}
		if n := eval[int](tab, "document.querySelectorAll('main script, img, iframe, object, [onerror]').length"); n != 0 {
			t.Errorf("%s: %d elements came with the text", path, n)
		}
		if over := eval[int](tab, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
			t.Errorf("%s is %d pixels too wide", path, over)
		}
		if bad := eval[bool](tab, `/[\u202A-\u202E\u2066-\u2069\u0000]/.test(document.body.innerText)`); bad {
			t.Errorf("%s shows marks that turn text around", path)
		}
	}
	tab.visit("/")
	tab.shoot("hostile-360-light")
	tab.visit(paths[6])
	tab.shoot("hostile-question-360-light")
	// The span's attributes, opened in place.
	tab.run(chromedp.Focus("#fall li:nth-child(3) a"), chromedp.KeyEvent(kb.Enter))
	tab.until("document.querySelector('#fall .more') !== null")
	if title := eval[string](tab, "document.title"); !strings.HasSuffix(title, "ragtrace") {
		t.Errorf("something ran: %s", title)
	}
}
