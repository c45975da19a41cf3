package tracer

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// HeaderPage announces that the page which asks will report what it painted (see [PaintHandler]). Its value names the page:
// 16 hexadecimal digits, used for one question only, that stand in the request's traceparent as the parent.
const HeaderPage = "Ragtrace-Page"

const (
	pageWait = 10 * time.Second // for a report, from the end of the handler
	maxPages = 1024             // known at a time
)

// announced are the headers of r. A page cannot give headers to an event stream, so it puts ours into the query, in lower
// case; there they are taken for headers, and nowhere else.
func announced(r *http.Request) http.Header {
	if r.Method != http.MethodGet || !strings.Contains(r.URL.RawQuery, "ragtrace-page=") ||
		!strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream") {
		return r.Header
	}
	query, h := r.URL.Query(), r.Header.Clone()
	for _, name := range [...]string{HeaderEnter, HeaderSession, HeaderPage, "Traceparent"} {
		if v := query.Get(strings.ToLower(name)); v != "" && h.Get(name) == "" {
			h.Set(name, v)
		}
	}
	return h
}

// pageOf is the page that h names, or "".
func pageOf(h http.Header) string {
	id := h.Get(HeaderPage)
	if span, err := trace.SpanIDFromHex(id); id == "" || err != nil || !span.IsValid() {
		return ""
	}
	return id
}

// pages are those that announced a report, whichever middleware their questions came through.
var pages pageSet

// A pageSet knows each page from its question until pageWait after the handler's end, its report or none.
type pageSet struct {
	mu    sync.Mutex
	known map[string]*page
}

type page struct {
	question *Question // nil once nothing is expected
	answer   *answer   // nil while the handler runs
	painted  *painted  // nil until reported
}

// Flush ends the questions that still wait for what their pages painted, with what is known. Call it before the tracer
// provider is shut down; the shutdown of setup.Start does.
func Flush() {
	pages.mu.Lock()
	ids := make([]string, 0, len(pages.known))
	for id := range pages.known {
		ids = append(ids, id)
	}
	pages.mu.Unlock()
	for _, id := range ids {
		pages.change(id, func(p *page) bool { return p.answer != nil })
	}
}

// has reports whether the page is known.
func (s *pageSet) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[id] != nil
}

// expect makes q end with what its page reports, and reports whether it will.
func (s *pageSet) expect(id string, q *Question) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= maxPages || s.known[id] != nil {
		return false
	}
	if s.known == nil {
		s.known = make(map[string]*page)
	}
	s.known[id] = &page{question: q}
	return true
}

// answered tells how the answer went, and reports whether the question now ends by itself. A failed one does not: no page
// paints it.
func (s *pageSet) answered(id string, a answer) (expected bool) {
	s.change(id, func(p *page) bool {
		time.AfterFunc(pageWait, func() { s.forget(id) })
		expected = a.failure.kind == "" && !a.last.IsZero()
		if !expected {
			p.question = nil
		}
		p.answer = &a
		return p.painted != nil
	})
	return expected
}

// report tells what a page painted. The first report counts.
func (s *pageSet) report(id string, m *painted) {
	s.change(id, func(p *page) bool {
		if p.painted == nil {
			p.painted = m
		}
		return p.answer != nil
	})
}

func (s *pageSet) forget(id string) {
	s.change(id, func(*page) bool {
		delete(s.known, id)
		return true
	})
}

// change changes a known page by f, and ends its question when f says so and it has not ended.
func (s *pageSet) change(id string, f func(*page) (end bool)) {
	s.mu.Lock()
	p := s.known[id]
	if p == nil || !f(p) || p.question == nil {
		s.mu.Unlock()
		return
	}
	q, a, m := p.question, *p.answer, p.painted
	p.question = nil
	s.mu.Unlock() // ending calls the SDK
	defer guard()
	q.close(q.shown(a, m))
}
