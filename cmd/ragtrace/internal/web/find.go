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
			return 0, s.several(name, found)
		}
	}
	return 0, s.unknown(name)
}

// several says that a name means more than one question, and what names one of them.
func (s *snapshot) several(name string, found []int) error {
	sessions := make(map[string]bool)
	for _, i := range found {
		sessions[s.results[i].Session] = true
	}
	p := &problem{http.StatusNotFound, shown(name) + " is more than one question: ", nil}
	if len(sessions) == len(found) {
		p.text += "name its session too, as in session/number"
		p.near = s.links(found)
		return p
	}
	// Some share their session, so that only the trace tells them apart.
	p.text += "name its trace, as in trace/number"
	for _, i := range found[:min(len(found), mostLinks)] {
		r := &s.results[i]
		p.near = append(p.near, link{r.TraceID.String() + "/" + strconv.Itoa(r.Number) + " (" + report.Name(shown(r.Session), r.Number) + ")", questionURL(r)})
	}
	return p
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

// mostLinks is how many questions are named where any of them may be meant.
const mostLinks = 12

// links lead to questions, the first few.
func (s *snapshot) links(places []int) []link {
	var links []link
	for _, i := range places[:min(len(places), mostLinks)] {
		r := &s.results[i]
		links = append(links, link{report.Name(shown(r.Session), r.Number), questionURL(r)})
	}
	return links
}
