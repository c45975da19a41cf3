package web_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the browser to test with. Without any the test is skipped, unless RAGTRACE_TEST_CHROMIUM says that there is
// one.
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

// A browser is a chromium of its own.
type browser struct{ ctx context.Context }

func newBrowser(t *testing.T) *browser {
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
	return &browser{ctx}
}

// A tab is one page of a browser, and what went wrong on it.
type tab struct {
	t      *testing.T
	ctx    context.Context
	origin string

	mu       sync.Mutex
	problems []string
	sum      float64 // bytes
}

// open makes a tab of a size, in light or dark. Everything that the console, the policy or the network complains of fails
// the test.
func (b *browser) open(t *testing.T, origin string, width int64, dark bool) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	ctx, stop := context.WithTimeout(ctx, 3*time.Minute)
	tab := &tab{t: t, ctx: ctx, origin: origin}
	t.Cleanup(func() {
		stop()
		cancel()
		tab.mu.Lock()
		defer tab.mu.Unlock()
		for _, p := range tab.problems {
			t.Error(p)
		}
	})
	if err := chromedp.Listen(ctx, tab.listen); err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(tab, network.Enable, network.EnableParams{})
	call(tab, log.Enable, cdp.Empty{})
	call(tab, runtime.Enable, cdp.Empty{})
	call(tab, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1})
	tab.media(&emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme})
	return tab
}

func (tab *tab) problem(text string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.problems = append(tab.problems, text)
}

func (tab *tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		tab.problem("exception: " + e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			tab.problem("the console says something")
		}
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceNetwork && strings.HasSuffix(e.Entry.URL, "/nowhere") {
			return // which is not there
		}
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			tab.problem("log: " + e.Entry.Text + " " + e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		// The browser's own icons come as data.
		if !strings.HasPrefix(e.Request.URL, tab.origin+"/") && !strings.HasPrefix(e.Request.URL, "data:") {
			tab.problem("a request left the origin: " + e.Request.URL)
		}
	case *network.EventDataReceived:
		tab.mu.Lock()
		tab.sum += float64(e.DataLength)
		tab.mu.Unlock()
	}
}

func (tab *tab) media(features ...*emulation.MediaFeature) {
	tab.t.Helper()
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
}

// call runs a command of the browser's protocol.
func call[P, R any](tab *tab, command cdp.Command[P, R], params P) R {
	tab.t.Helper()
	result, err := chromedp.Call(tab.ctx, command, params)
	if err != nil {
		tab.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

func (tab *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	if err := chromedp.Do(tab.ctx, steps...); err != nil {
		tab.t.Fatal(err)
	}
}

// visit goes to a path and tells how many bytes came, unpacked.
func (tab *tab) visit(path string) (bytes int) {
	tab.t.Helper()
	tab.mu.Lock()
	tab.sum = 0
	tab.mu.Unlock()
	tab.run(chromedp.Navigate(tab.origin+path), chromedp.WaitReady("main"))
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return int(tab.sum)
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

// shoot keeps a picture of the whole page in the folder RAGTRACE_SCREENSHOTS, if there is one.
func (tab *tab) shoot(name string) {
	tab.t.Helper()
	folder := os.Getenv("RAGTRACE_SCREENSHOTS")
	if folder == "" {
		return
	}
	size := call(tab, page.GetLayoutMetrics, cdp.Empty{}).CSSContentSize
	beyond := true
	picture := call(tab, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: &beyond,
		Clip:                  &page.Viewport{Width: size.Width, Height: min(size.Height, 5000), Scale: 1},
	})
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture.Data, 0o644); err != nil {
		tab.t.Fatal(err)
	}
}
