package web

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
)

// A Page serves the views.
type Page struct {
	library library
	options Options
	mux     *http.ServeMux
	stop    context.CancelFunc

	listeners atomic.Int64
}

// New makes a page of a source. Close ends it.
func New(source Source, options Options) *Page {
	to := &options.Receiver
	to.GRPC, to.HTTP = cmp.Or(to.GRPC, "127.0.0.1:4317"), cmp.Or(to.HTTP, "127.0.0.1:4318")
	ctx, stop := context.WithCancel(context.Background())
	p := &Page{library: library{source: source, ctx: ctx}, options: options, mux: http.NewServeMux(), stop: stop}
	p.mux.HandleFunc("GET /{$}", p.view(p.questions))
	p.mux.HandleFunc("GET /q/{trace}", p.view(p.trace))
	p.mux.HandleFunc("GET /q/{trace}/{number}", p.view(p.question))
	p.mux.HandleFunc("GET /q/{trace}/s/{span}", p.view(p.span))
	p.mux.HandleFunc("GET /compare", p.view(p.compare))
	p.mux.HandleFunc("GET /numbers", p.view(p.numbers))
	p.mux.HandleFunc("GET /events", p.events)
	p.mux.HandleFunc("GET /static/{version}/{file}", static)
	p.mux.HandleFunc("GET /", p.view(p.nowhere))
	return p
}

// Close ends the live updates and what is being read, and waits for it. Requests fail from then on.
func (p *Page) Close() {
	p.library.mu.Lock()
	p.stop()
	p.library.mu.Unlock()
	p.library.loads.Wait()
}

// policy lets the page load its own files, and nothing run but its own script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this page only reads: GET", http.StatusMethodNotAllowed)
		return
	}
	if p.options.Local && !localHost(r.Host) {
		http.Error(w, "this server answers to localhost and to addresses, not to the name "+strings.ToValidUTF8(shown(r.Host), "?"),
			http.StatusMisdirectedRequest)
		return
	}
	p.mux.ServeHTTP(w, r)
}

// localHost reports whether a Host header is one that no foreign page can have its requests carry: an address, or
// localhost.
func localHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}
