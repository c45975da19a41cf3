package web

import (
	"fmt"
	"net/http"
	"time"
)

// Of live updates: how often it is asked for news, and how often a word is sent to those who hear none, so that a
// connection that nobody holds any more ends.
const (
	askEvery   = 250 * time.Millisecond
	speakEvery = 15 * time.Second
)

// maxListeners bounds the live updates that are open at once; each asks for news.
const maxListeners = 64

// events tells when there are other questions than before, as server-sent events.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	if p.listeners.Add(1) > maxListeners {
		p.listeners.Add(-1)
		http.Error(w, "too many pages are live already", http.StatusServiceUnavailable)
		return
	}
	defer p.listeners.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	last, spoke := "", time.Now()
	for {
		s, err := p.library.get(r.Context())
		switch {
		case err == nil && s.version != last:
			last, spoke = s.version, time.Now()
			fmt.Fprintf(w, "event: questions\nid: %s\ndata: %d\n\n", s.version, len(s.results))
		case time.Since(spoke) > speakEvery:
			spoke = time.Now()
			fmt.Fprint(w, ": nothing new\n\n")
		}
		if out.Flush() != nil {
			return
		}
		select {
		case <-ask.C:
		case <-r.Context().Done():
			return
		case <-p.library.ctx.Done():
			return
		}
	}
}
