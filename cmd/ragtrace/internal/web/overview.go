package web

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// An overview is all the questions in a strip, of which the chart shows a part.
type overview struct {
	Bins         []bin
	ShownX, Wide string // the part
}

// A bin is a number of questions side by side.
type bin struct {
	X, W, Y, H string
	URL, Title string
	Slow       bool // something in it stands out
}

const (
	overviewBins   = 120
	overviewHeight = 40
)

// overview draws the questions at places, with the longest of each bin. Heights are by logarithm, so that one very long
// question does not hide the rest.
func (s *snapshot) overview(places []int, first, show int, query url.Values) *overview {
	if len(places) <= show {
		return nil
	}
	n := float64(len(places))
	o := &overview{ShownX: percent(float64(first), n), Wide: percent(float64(min(show, len(places)-first)), n)}
	least, most := math.MaxFloat64, 0.0
	for _, i := range places {
		if r := &s.results[i]; r.Timed && r.E2E > 0 {
			least, most = min(least, float64(r.E2E)), max(most, float64(r.E2E))
		}
	}
	for b := range overviewBins {
		from, to := b*len(places)/overviewBins, (b+1)*len(places)/overviewBins
		if from == to {
			continue
		}
		x := bin{X: percent(float64(from), n), W: percent(float64(to-from), n)}
		longest, slow, failed := time.Duration(0), 0, 0
		for _, i := range places[from:to] {
			r := &s.results[i]
			if r.Slow {
				slow++
			}
			if r.Status != diagnose.StatusOK {
				failed++
				continue
			}
			longest = max(longest, r.E2E)
		}
		h := 1.0
		if longest > 0 && most > least {
			h = 2 + (overviewHeight-2)*math.Log(float64(longest)/least)/math.Log(most/least)
		}
		x.Y, x.H = pixels(overviewHeight-h), pixels(h)
		x.Slow = slow > 0
		x.Title = fmt.Sprintf("%s from place %d: the longest took %s, %d stand out, %d did not end well",
			plural(to-from, "question", "questions"), from+1, report.Duration(longest), slow, failed)
		x.URL = pageURL(query, max(0, from-(show-(to-from))/2), show)
		o.Bins = append(o.Bins, x)
	}
	return o
}

// pageURL is the list from a place on.
func pageURL(query url.Values, first, show int) string {
	q := url.Values{}
	for name, values := range query {
		q[name] = values
	}
	q.Set("first", strconv.Itoa(first))
	if show != defaultShow {
		q.Set("show", strconv.Itoa(show))
	}
	return "/?" + q.Encode()
}
