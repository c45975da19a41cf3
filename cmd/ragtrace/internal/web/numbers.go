package web

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// A numbersView is the view of percentiles.
type numbersView struct {
	Empty                        bool
	Filter                       filter
	Sessions, Services, Backends []string
	Models                       []string
	Groups                       []group
}

// A group is one backend.
type group struct {
	Name               string
	Questions          stats.Statuses
	Warm, Cold         int
	Calls, FailedCalls int
	Ticks              []tick
	Rows               []metricRow
	ID                 string
}

// A metricRow is one metric of a group.
type metricRow struct {
	Title, About string
	Unit         string
	Warm, Cold   figures
	Dist         *distribution // nil for what is no time
}

// figures are what is told of some values; Count 0: there are none.
type figures struct {
	N        int
	P50, P95 string
	Few      bool // too few for their p95
}

// A distribution draws how many values lie where, by logarithm, as the outlines of columns: warm ones upwards from the middle,
// cold ones downwards.
type distribution struct {
	Warm, Cold string
	Marks      []markX
}

// A markX is a percentile in a distribution.
type markX struct{ Class, X string }

// A distribution is distBins wide and twice distHeight high.
const (
	distBins   = 60
	distHeight = 16
)

func (p *Page) numbers(r *http.Request) (*answer, error) {
	f, err := readFilter(r.URL.Query())
	if err != nil {
		return nil, err
	}
	s, err := p.library.get(r.Context())
	if err != nil {
		return nil, err
	}
	results := s.results
	if f.Any() {
		results = nil
		for _, i := range s.choose(&f) {
			results = append(results, s.results[i])
		}
	}
	summary := stats.Summarise(results, stats.Filter{})
	v := numbersView{
		Empty: len(s.results) == 0, Filter: f,
		Sessions: some(s.sessions), Services: some(s.services), Backends: some(s.backends), Models: some(s.models),
	}
	const most = 20 // groups
	for i := range summary.Groups[:min(len(summary.Groups), most)] {
		v.Groups = append(v.Groups, drawGroup(results, &summary.Groups[i], i))
	}
	return &answer{template: "numbers", title: "Numbers", nav: "numbers", data: v, json: summary}, nil
}

func drawGroup(results []diagnose.Result, g *stats.Group, at int) group {
	v := group{
		Name: backendName(g.Backend), Questions: g.Statuses, Warm: g.Warm, Cold: g.Cold, Calls: g.Calls, FailedCalls: g.FailedCalls,
		ID: "g" + strconv.Itoa(at),
	}
	a := logAxis{least: math.MaxFloat64}
	values := make([][]stats.Value, len(g.Rows))
	for i := range g.Rows {
		m := g.Rows[i].Metric
		if m.Unit != stats.Time {
			continue
		}
		values[i] = stats.Sample(m, stats.Filter{Backend: &g.Backend}, results)
		for _, x := range values[i] {
			a.include(x.V)
		}
	}
	v.Ticks = a.ticks()
	for i := range g.Rows {
		r := &g.Rows[i]
		if r.Metric.Part && max(r.Warm.P95, r.Cold.P95) < shortest {
			continue
		}
		row := metricRow{Title: r.Metric.Title, About: r.Metric.About, Unit: "tokens", Warm: figuresOf(r.Metric, r.Warm), Cold: figuresOf(r.Metric, r.Cold)}
		if c, ok := diagnose.ComponentByName(r.Metric.Name); ok {
			row.Title = looks[c].name
		}
		if r.Metric.Unit == stats.Time {
			row.Unit = "ms"
			row.Dist = a.draw(values[i], r)
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

func backendName(b stats.Backend) string {
	switch {
	case b.Provider == "" && b.Model == "":
		return "unknown model"
	case b.Provider == "":
		return shown(b.Model)
	case b.Model == "":
		return shown(b.Provider) + ", unknown model"
	}
	return shown(b.Model) + " on " + shown(b.Provider)
}

func figuresOf(m *stats.Metric, d stats.Dist) figures {
	if d.N == 0 {
		return figures{}
	}
	return figures{d.N, figure(m, d.P50), figure(m, d.P95), d.Few()}
}

// figure writes a value of a metric.
func figure(m *stats.Metric, v float64) string {
	if m.Unit == stats.Time {
		return report.Duration(time.Duration(v))
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// signed writes a difference of a metric.
func signed(m *stats.Metric, v float64) string {
	if m.Unit == stats.Time {
		return report.Signed(time.Duration(v))
	}
	if v > 0 {
		return "+" + figure(m, v)
	}
	return figure(m, v)
}

// percentText is a share in whole percent.
func percentText(share float64) string { return strconv.Itoa(int(math.Round(100*share))) + " %" }

// A logAxis has times by their logarithm. What is shorter than its least is drawn there.
type logAxis struct{ least, most float64 }

// shortest is the least time that an axis tells from nothing.
const shortest = float64(10 * time.Microsecond)

func (a *logAxis) include(v float64) {
	v = max(v, shortest)
	a.least, a.most = min(a.least, v), max(a.most, v)
}

// place is where v is, from 0 to 1.
func (a *logAxis) place(v float64) float64 {
	if a.most <= a.least {
		return 0.5
	}
	return min(max(math.Log(max(v, a.least)/a.least)/math.Log(a.most/a.least), 0), 1)
}

// ticks are the powers of ten.
func (a *logAxis) ticks() []tick {
	var ticks []tick
	for t := time.Microsecond; float64(t) <= a.most && t < 100*time.Hour; t *= 10 {
		if float64(t) >= a.least {
			ticks = append(ticks, tick{percent(a.place(float64(t)), 1), report.Duration(t)})
		}
	}
	return ticks
}

func (a *logAxis) draw(values []stats.Value, r *stats.Row) *distribution {
	var bins [2][distBins]int // warm, cold
	most := 1
	for _, v := range values {
		side := 0
		if stats.IsCold(v.Of) {
			side = 1
		}
		at := min(int(a.place(v.V)*distBins), distBins-1)
		bins[side][at]++
		most = max(most, bins[side][at])
	}
	columns := func(side int, up string) string {
		var b strings.Builder
		for at, n := range bins[side] {
			if n > 0 {
				h := pixels(max(2, distHeight*float64(n)/float64(most)))
				fmt.Fprintf(&b, "M%d %dv%s%sh1V%dz", at, distHeight, up, h, distHeight)
			}
		}
		return b.String()
	}
	d := &distribution{Warm: columns(0, "-"), Cold: columns(1, "")}
	mark := func(class string, v float64) {
		d.Marks = append(d.Marks, markX{class, percent(a.place(v), 1)})
	}
	if r.Warm.N > 0 {
		mark("m50", r.Warm.P50)
		mark("m95", r.Warm.P95)
	}
	if r.Cold.N > 0 {
		mark("m50 mc", r.Cold.P50)
		mark("m95 mc", r.Cold.P95)
	}
	return d
}
