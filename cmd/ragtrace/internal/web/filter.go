package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// A filter is what a URL chooses. It chooses what is shown and changes no comparison.
type filter struct {
	Session, Service, Model, Backend string
	Since, Until                     string // as in the URL
	Slow, Cold                       bool

	since, until time.Time
}

// timeLayouts are the ways of writing a moment: a browser's, and RFC 3339. Without a zone it is UTC.
var timeLayouts = []string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339, time.DateOnly}

func readFilter(q url.Values) (filter, error) {
	f := filter{
		Session: q.Get("session"), Service: q.Get("service"), Model: q.Get("model"), Backend: q.Get("backend"),
		Since: q.Get("since"), Until: q.Get("until"), Slow: q.Get("slow") != "", Cold: q.Get("cold") != "",
	}
	for _, t := range []struct {
		name, text string
		to         *time.Time
	}{{"since", f.Since, &f.since}, {"until", f.Until, &f.until}} {
		if t.text == "" {
			continue
		}
		var err error
		for _, layout := range timeLayouts {
			if *t.to, err = time.Parse(layout, t.text); err == nil {
				break
			}
		}
		if err != nil {
			return f, badRequest("%s=%s is no time: write 2026-01-31T14:30 (UTC)", t.name, shown(t.text))
		}
	}
	return f, nil
}

// any reports whether the filter leaves anything out.
func (f filter) Any() bool { return f != filter{} }

func (f *filter) chooses(r *diagnose.Result) bool {
	of := stats.Filter{Session: f.Session, Service: f.Service, Model: f.Model}
	switch {
	case f.Slow && !r.Slow, f.Cold && len(r.Cold) == 0,
		f.Backend != "" && stats.Answering(r.Question).Provider != f.Backend,
		!f.since.IsZero() && r.Start.Before(f.since),
		!f.until.IsZero() && !r.Start.Before(f.until):
		return false
	}
	return of.Question(r)
}

// query is the filter as a URL has it.
func (f *filter) query() url.Values {
	q := url.Values{}
	for _, p := range []struct{ name, value string }{
		{"session", f.Session}, {"service", f.Service}, {"model", f.Model}, {"backend", f.Backend}, {"since", f.Since}, {"until", f.Until},
	} {
		if p.value != "" {
			q.Set(p.name, p.value)
		}
	}
	if f.Slow {
		q.Set("slow", "1")
	}
	if f.Cold {
		q.Set("cold", "1")
	}
	return q
}

// number reads a whole number from a URL, within limits.
func number(q url.Values, name string, otherwise, least, most int) (int, error) {
	text := strings.TrimSpace(q.Get(name))
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, badRequest("%s=%s is no number", name, shown(text))
	}
	return min(max(n, least), most), nil
}
