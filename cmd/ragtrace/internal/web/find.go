package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/near"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// find is the place of the question that a name means: trace/number, session/number, a number, or the beginning of a trace.
func (s *snapshot) find(name string) (int, error) {
	for _, means := range []func(*diagnose.Result) bool{
		func(r *diagnose.Result) bool { return name == r.TraceID.String()+"/"+strconv.Itoa(r.Number) },
		func(r *diagnose.Result) bool { return name == r.Session+"/"+strconv.Itoa(r.Number) },
		func(r *diagnose.Result) bool { return name == strconv.Itoa(r.Number) },
		func(r *diagnose.Result) bool {
			return len(name) >= 6 && strings.HasPrefix(r.TraceID.String(), strings.ToLower(name))
		},
	} {
		var found []int
		for i := range s.results {
			if means(&s.results[i]) {
				found = append(found, i)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return 0, &problem{http.StatusNotFound, shown(name) + " is more than one question: name its session too, as in session/number",
				s.links(found)}
		}
	}
	return 0, s.unknown(name)
}

// unknown says that there is no such question, and which ones it may have been.
func (s *snapshot) unknown(name string) error {
	p := &problem{status: http.StatusNotFound, text: "there is no question " + shown(name)}
	const enough = 5000 // the newest; somebody who mistypes means one that he has just seen
	places := make(map[string]int)
	var names []string
	for i := max(0, len(s.results)-enough); i < len(s.results); i++ {
		r := &s.results[i]
		for _, n := range []string{r.TraceID.String(), r.Session + "/" + strconv.Itoa(r.Number)} {
			if _, known := places[n]; !known {
				places[n] = i
				names = append(names, n)
			}
		}
	}
	var found []int
	if len(name) <= 200 {
		for _, n := range near.Names(name, names) {
			found = append(found, places[n])
		}
	}
	p.near = append(s.links(found), link{"all questions", "/"})
	return p
}

// links lead to questions, the first few.
func (s *snapshot) links(places []int) []link {
	var links []link
	for _, i := range places[:min(len(places), 12)] {
		r := &s.results[i]
		links = append(links, link{report.Name(shown(r.Session), r.Number), questionURL(r)})
	}
	return links
}
