package web

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// Heights of the chart of questions, in pixels.
const (
	barsTop  = 18  // for the mark of what stands out
	barsPlot = 240 // the bars
)

// A barChart is one bar a question.
type barChart struct {
	Width    string // class: how wide the chart is at least
	Ticks    []tick
	Bars     []bar
	Idles    []idle
	Sessions []label
	Medians  []medianLine
	Legend   []key
	Failed   bool // some did not end well
}

// A tick is a line of an axis.
type tick struct{ At, Text string }

// A label is text at a place, with so much room.
type label struct{ At, W, Text string }

// A bar is one question.
type bar struct {
	X, W    string
	URL     string
	Title   string
	Number  string // "" where there is no room
	Shares  []rect
	Outside *rect
	Cold    []rect
	Slow    string // y of its mark; "" for none
	Mark    string // how it ended, unless well
}

// A rect is a part of a bar.
type rect struct{ Class, Y, H string }

// An idle is a pause between two questions, drawn as wide as any other.
type idle struct {
	At, Text, Title string
	Unloaded        bool // longer than the model was to be kept
}

type medianLine struct{ X1, X2, Y string }

// shownIdle is from where on a pause is worth a mark, if it is not longer than keep_alive.
const shownIdle = time.Minute

// slots are how much room things take along the chart, in bars.
const (
	idleRoom    = 1.2
	sessionRoom = 0.6
	barShare    = 0.84 // of a slot; the rest is air
)

// chart draws results, in their order. before is the question ahead of the first; nil when there is none. A light chart tells
// less of each.
func (s *snapshot) chart(results []diagnose.Result, before *diagnose.Result, light bool) barChart {
	var c barChart
	top := time.Duration(0)
	for i := range results {
		if r := &results[i]; r.Timed && r.Status == diagnose.StatusOK {
			top = max(top, r.E2E)
		}
	}
	top = max(top, time.Millisecond)
	y := func(d time.Duration) float64 { return barsTop + barsPlot*(1-float64(d)/float64(top)) }
	for _, t := range ticksOf(top, 5) {
		c.Ticks = append(c.Ticks, tick{pixels(y(t)), report.Duration(t)})
	}

	places := make([]float64, len(results)) // left edge of each bar, in slots
	width := 0.0
	type pause struct {
		at   float64
		from *diagnose.Result
		to   *diagnose.Result
	}
	var pauses []pause
	for i := range results {
		r := &results[i]
		previous := before
		if i > 0 {
			previous = &results[i-1]
		}
		if previous == nil || previous.Session != r.Session {
			if i > 0 {
				width += sessionRoom
			}
			previous = nil
		}
		if r.IdleBefore != nil && (*r.IdleBefore >= shownIdle || keptLess(previous, r)) {
			pauses = append(pauses, pause{width + idleRoom/2, previous, r})
			width += idleRoom
		}
		places[i] = width
		width++
	}
	c.Width = chartWidth(width)
	every := 1
	for _, n := range []int{1, 2, 5, 10, 20} {
		if every = n; width/float64(n) <= 60 {
			break
		}
	}
	var begins []int // the first bar of each session
	for i := range results {
		r := &results[i]
		b := bar{
			X: percent(places[i]+(1-barShare)/2, width), W: percent(barShare, width),
			URL: questionURL(r), Title: s.tooltip(r, light),
		}
		least := 0.3
		if light {
			least = 2
		}
		if i == 0 || results[i-1].Session != r.Session {
			c.Sessions = append(c.Sessions, label{At: percent(places[i], width), Text: shownUpTo(r.Session, 40)})
			begins = append(begins, i)
		}
		if every == 1 || r.Number%every == 0 || r.Slow {
			b.Number = strconv.Itoa(r.Number)
		}
		if r.Status != diagnose.StatusOK {
			b.Mark = marks[r.Status]
			c.Failed = true
		} else if r.Timed {
			b.stack(sharesOf(r), y, least)
			if r.Slow {
				b.Slow = pixels(y(r.E2E))
			}
		}
		c.Bars = append(c.Bars, b)
		// One line for all peers: that each is without itself would make steps of it.
		if w := s.warm[peersOf(r)]; w != nil && time.Duration(w.e2e.Median()) <= top {
			line := medianLine{percent(places[i], width), percent(places[i]+1, width), pixels(y(time.Duration(w.e2e.Median())))}
			if n := len(c.Medians); n > 0 && i > 0 && c.Medians[n-1].Y == line.Y {
				c.Medians[n-1].X2 = line.X2
			} else {
				c.Medians = append(c.Medians, line)
			}
		}
	}
	for n, first := range begins {
		end := width
		if n+1 < len(begins) {
			end = places[begins[n+1]]
		}
		c.Sessions[n].W = percent(end-places[first], width)
	}
	for _, p := range pauses {
		i := idle{At: percent(p.at, width), Text: roughly(*p.to.IdleBefore), Title: "idle for " + report.Duration(*p.to.IdleBefore)}
		if keep := keptBy(p.from); keep > 0 {
			i.Unloaded = *p.to.IdleBefore > keep
			i.Title += fmt.Sprintf(", keep_alive %s", roughly(keep))
		}
		c.Idles = append(c.Idles, i)
	}
	c.Legend = legend(results)
	return c
}

// marks stand for how questions ended that are not compared.
var marks = map[diagnose.Status]string{diagnose.StatusError: "✕", diagnose.StatusCancelled: "⊘", diagnose.StatusIncomplete: "?"}

// keptBy is for how long a question's last call keeps the model; 0 when that is not known, negative for ever.
func keptBy(r *diagnose.Result) time.Duration {
	if r == nil || len(r.Question.Calls) == 0 {
		return 0
	}
	return r.Question.Calls[len(r.Question.Calls)-1].KeepAlive
}

// keptLess reports whether the model may be gone when the next question comes.
func keptLess(previous, r *diagnose.Result) bool {
	keep := keptBy(previous)
	return keep > 0 && r.IdleBefore != nil && *r.IdleBefore > keep
}

// stack draws the components, those outside the LLM below the others, and none that is less than a height.
func (b *bar) stack(shares []share, y func(time.Duration) float64, least float64) {
	at, outside := time.Duration(0), time.Duration(0)
	for _, s := range shares {
		bottom, top := y(at), y(at+s.time)
		if h := bottom - top; h >= least {
			b.Shares = append(b.Shares, rect{s.Class(), pixels(top), pixels(h)})
			if s.cold > 0 {
				b.Cold = append(b.Cold, rect{Y: pixels(top), H: pixels(y(at+s.time-s.cold) - top)})
			}
		}
		at += s.time
		if !s.InsideLLM() {
			outside = at
		}
	}
	if h := y(0) - y(outside); h >= 1 {
		b.Outside = &rect{Y: pixels(y(outside)), H: pixels(h)}
	}
}

// tooltip tells a question's figures, a line each; a light one those of the whole.
func (s *snapshot) tooltip(r *diagnose.Result, light bool) string {
	lines := []string{report.Name(shownUpTo(r.Session, 40), r.Number)}
	if r.Status != diagnose.StatusOK {
		lines[0] += ": " + string(r.Status)
	}
	if !r.Timed {
		return lines[0] + "\nits times are unknown"
	}
	e2e := "E2E " + report.Duration(r.E2E)
	if slow := s.slowOf(r); slow != nil {
		e2e += ", " + report.Duration(slow.Over) + " over"
	}
	lines = append(lines, e2e, fmt.Sprintf("inside the LLM %s, outside %s", report.Duration(r.Inside), report.Duration(r.Outside)))
	if light {
		return strings.Join(lines, "\n")
	}
	for _, c := range sharesOf(r) {
		if c.time*50 < r.E2E && c.cold == 0 {
			continue
		}
		line := looks[c.Component].name + " " + report.Duration(c.time)
		if c.cold > 0 {
			line += " (cold)"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// questionURL is where a question's own view is.
func questionURL(r *diagnose.Result) string {
	return "/q/" + r.TraceID.String() + "/" + url.PathEscape(strconv.Itoa(r.Number))
}

// ticksOf are round steps up to top, at most n of them.
func ticksOf(top time.Duration, n int) []time.Duration {
	for unit := time.Microsecond; ; unit *= 10 {
		for _, m := range []time.Duration{1, 2, 5} {
			if step := m * unit; top/step <= time.Duration(n) {
				var ticks []time.Duration
				for t := time.Duration(0); t <= top; t += step {
					ticks = append(ticks, t)
				}
				return ticks
			}
		}
	}
}

// roughly is a long time in whole units.
func roughly(d time.Duration) string {
	whole := func(v float64, unit string) string { return strconv.Itoa(int(math.Round(v))) + unit }
	switch {
	case d < 2*time.Minute:
		return whole(d.Seconds(), " s")
	case d < 2*time.Hour:
		return whole(d.Minutes(), " min")
	case d < 48*time.Hour:
		return whole(d.Hours(), " h")
	}
	return whole(d.Hours()/24, " days")
}

// chartWidth is a class that keeps n slots wide enough to be hit.
func chartWidth(n float64) string {
	for _, most := range []int{20, 40, 80, 160} {
		if n <= float64(most) {
			return "n" + strconv.Itoa(most)
		}
	}
	return "n320"
}

// pixels is a length to a tenth of a pixel.
func pixels(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}
