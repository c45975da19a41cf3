package browser_test

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the browser to test with. Without any the test is skipped, unless RAGTRACE_TEST_CHROMIUM names one.
func chromium(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("RAGTRACE_TEST_CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium here (install one, or name it in RAGTRACE_TEST_CHROMIUM)")
	return ""
}

// newBrowser starts a chromium of its own.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	return ctx
}

// A tab is one page of a browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // of the console, which fail the test
}

// open makes a tab at url whose wall clock is some hours off.
func open(t *testing.T, browser context.Context, url string, hours int) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	tab := &tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		stop()
		cancel()
		tab.mu.Lock()
		defer tab.mu.Unlock()
		for _, p := range tab.problems {
			t.Error("the console says: " + p)
		}
	})
	if err := chromedp.Listen(ctx, tab.listen); err != nil {
		t.Fatal(err)
	}
	call(tab, log.Enable, cdp.Empty{})
	call(tab, runtime.Enable, cdp.Empty{})
	call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `{
			const off = ` + strconv.Itoa(hours) + ` * 3600e3, real = Date
			Date = class extends real {
				constructor(...args) { args.length ? super(...args) : super(real.now() + off) }
				static now() { return real.now() + off }
			}
			Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + off })
		}`,
	})
	tab.run(chromedp.Navigate(url))
	return tab
}

func (tab *tab) listen(event any) {
	var problem string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		problem = e.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		problem = string(e.Type)
	case *log.EventEntryAdded:
		problem = e.Entry.Text + " " + e.Entry.URL
	}
	if problem != "" {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		tab.problems = append(tab.problems, problem)
	}
}

// forgive empties the list of what the console said.
func (tab *tab) forgive() {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.problems = nil
}

// call runs a command of the browser's protocol.
func call[P, R any](tab *tab, command cdp.Command[P, R], params P) {
	tab.t.Helper()
	if _, err := chromedp.Call(tab.ctx, command, params); err != nil {
		tab.t.Fatalf("%s: %v", command.Method, err)
	}
}

func (tab *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	if err := chromedp.Do(tab.ctx, steps...); err != nil {
		tab.t.Fatal(err)
	}
}

// eval is the value of an expression on the page.
func eval[T any](tab *tab, expression string) T {
	tab.t.Helper()
	v, err := chromedp.Run(tab.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression on the page to be true.
func (tab *tab) until(expression string) {
	tab.t.Helper()
	for end := time.Now().Add(time.Minute); !eval[bool](tab, expression); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			tab.t.Fatalf("%s is not true after a minute", expression)
		}
	}
}
