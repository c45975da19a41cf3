package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// A comparison is the view of two questions, or of one beside the warm median.
type comparison struct {
	A, B       string // as asked for
	AName      string
	BName      string
	AURL, BURL string
	Choices    []link // questions to choose from; their URLs are names
	Ready      bool   // both sides are there
	Sentence   string
	Stacks     []stack
	Ticks      []tick
	Legend     []key
	Rows       []difference
}

// A stack is a question as one bar.
type stack struct {
	Name   string
	Total  time.Duration
	Shares []segment
}

// A segment is a part of a stack.
type segment struct {
	Class, X, W, Title string
	Inside, Cold       bool
}

// A difference is one metric on both sides.
type difference struct {
	Title, About, A, B, By, Share string
	More                          bool // B took more
	X, W                          string
	Where                         string // inside or outside the LLM; "" for neither
}

// warmName stands for the median of the other side's warm peers.
const warmName = "warm"

func (p *Page) compare(r *http.Request) (*answer, error) {
	s, err := p.library.get(r.Context())
	if err != nil {
		return nil, err
	}
	v := comparison{A: r.URL.Query().Get("a"), B: r.URL.Query().Get("b")}
	v.Choices = s.choices()
	if v.A == "" {
		v.A = warmName
	}
	if v.B == "" && len(v.Choices) > 0 {
		v.B = v.Choices[0].URL
	}
	if v.B == "" {
		return &answer{template: "compare", title: "Compare", nav: "compare", data: v, json: struct{}{}}, nil
	}
	if v.A == warmName && v.B == warmName {
		return nil, badRequest("compare two questions, or one with warm: a=warm&b=%s", shown(v.Choices[0].URL))
	}
	var sides [2][]diagnose.Result
	var places [2]int
	for i, name := range []string{v.A, v.B} {
		if name == warmName {
			continue
		}
		if places[i], err = s.find(name); err != nil {
			return nil, err
		}
		sides[i] = []diagnose.Result{s.results[places[i]]}
	}
	names := [2]*string{&v.AName, &v.BName}
	urls := [2]*string{&v.AURL, &v.BURL}
	for i := range sides {
		if sides[i] != nil {
			q := &sides[i][0]
			*names[i], *urls[i] = report.Name(shown(q.Session), q.Number), questionURL(q)
			if !stats.Compared(q) {
				return nil, &problem{http.StatusNotFound, *names[i] + " did not end well or its times are unknown, so it is not compared",
					[]link{{*names[i], questionURL(q)}, {"choose another", "/compare"}}}
			}
			continue
		}
		other := &sides[1-i][0]
		sides[i] = stats.WarmPeers(s.results, other)
		if len(sides[i]) == 0 {
			return nil, &problem{http.StatusNotFound,
				"no other question of the same service and pipeline is warm, so there is no warm median",
				[]link{{"choose two questions", "/compare"}, {report.Name(shown(other.Session), other.Number), questionURL(other)}}}
		}
		*names[i] = "the median of " + plural(len(sides[i]), "other warm question", "other warm questions")
	}
	c := stats.Compare(sides[0], sides[1], stats.Filter{}, stats.Filter{})
	v.Ready = true
	v.draw(&c)
	v.stacks(s, sides)
	return &answer{template: "compare", title: "Compare", nav: "compare", data: v, json: struct {
		A          string           `json:"a"`
		B          string           `json:"b"`
		Comparison stats.Comparison `json:"comparison"`
	}{v.A, v.B, c}}, nil
}

// choices are the questions that somebody is likely to compare: those that stand out, then the last ones.
func (s *snapshot) choices() []link {
	var list []link
	seen := make(map[string]bool)
	add := func(r *diagnose.Result) {
		name := strings.TrimPrefix(questionURL(r), "/q/")
		if stats.Compared(r) && !seen[name] {
			seen[name] = true
			list = append(list, link{report.Name(shown(r.Session), r.Number) + ", " + report.Duration(r.E2E), name})
		}
	}
	for _, q := range s.verdict.Slow[:min(len(s.verdict.Slow), 30)] {
		for _, i := range s.traces[q.TraceID] {
			if s.results[i].Slow {
				add(&s.results[i])
			}
		}
	}
	for i := len(s.results) - 1; i >= 0 && len(list) < 100; i-- {
		add(&s.results[i])
	}
	return list
}

// draw makes the rows of the table, with a bar to the left for less and to the right for more.
func (v *comparison) draw(c *stats.Comparison) {
	most := 0.0
	for i := range c.Rows {
		if d := &c.Rows[i]; d.Metric.Unit == stats.Time {
			most = max(most, d.By(), -d.By())
		}
	}
	for i := range c.Rows {
		d := &c.Rows[i]
		const little = float64(50 * time.Microsecond)
		if d.Metric.Part && max(d.A, d.B) < little || d.Metric.Name == "unattributed" { // its two parts have rows
			continue
		}
		row := difference{
			Title: d.Metric.Title, About: d.Metric.About, A: figure(d.Metric, d.A), B: figure(d.Metric, d.B), By: signed(d.Metric, d.By()),
			More: d.By() > 0,
		}
		if d.Share != nil {
			row.Share = percentText(*d.Share)
		}
		if c, ok := diagnose.ComponentByName(d.Metric.Name); ok {
			row.Title, row.Where = looks[c].name, "outside"
			if c.InsideLLM() {
				row.Where = "inside"
			}
		}
		if d.Metric.Unit == stats.Time && most > 0 {
			w := max(d.By(), -d.By())
			row.W = percent(w, 2*most)
			if d.By() < 0 {
				row.X = percent(most-w, 2*most)
			} else {
				row.X = "50%"
			}
		}
		v.Rows = append(v.Rows, row)
	}
	by := time.Duration(c.E2E.By())
	switch { // names begin sentences in capitals, save the median's
	case by > 0:
		v.Sentence = v.BName + " took " + report.Duration(by) + " more than " + v.AName
	case by < 0:
		v.Sentence = v.BName + " took " + report.Duration(-by) + " less than " + v.AName
	default:
		v.Sentence = v.BName + " took as long as " + v.AName
	}
	var parts []string
	for i := range c.Rows {
		d := &c.Rows[i]
		part, ok := diagnose.ComponentByName(d.Metric.Name)
		if !ok || len(parts) == 3 || d.Share == nil || *d.Share < 0.1 {
			continue
		}
		where := "outside"
		if part.InsideLLM() {
			where = "inside the LLM"
		}
		parts = append(parts, signed(d.Metric, d.By())+" "+looks[part].name+" ("+where+")")
	}
	if len(parts) > 0 {
		v.Sentence += ": " + strings.Join(parts, ", ")
	}
	v.Sentence += "."
}

// stacks draws both sides on one axis.
func (v *comparison) stacks(s *snapshot, sides [2][]diagnose.Result) {
	names := [2]string{v.AName, v.BName}
	var all [2][]share
	var totals [2]time.Duration
	top := time.Millisecond
	for i, side := range sides {
		if v.A == warmName && i == 0 || v.B == warmName && i == 1 {
			all[i] = usualShares(s.warmOf(&sides[1-i][0]))
		} else {
			all[i] = sharesOf(&side[0])
		}
		for _, x := range all[i] {
			totals[i] += x.time
		}
		top = max(top, totals[i])
	}
	seen := make(map[diagnose.Component]bool)
	for i := range all {
		k := stack{Name: names[i], Total: totals[i]}
		at := time.Duration(0)
		for _, x := range all[i] {
			title := looks[x.Component].name + " " + report.Duration(x.time)
			k.Shares = append(k.Shares, segment{
				x.Class(), percent(float64(at), float64(top)), percent(float64(x.time), float64(top)), title, x.InsideLLM(), x.cold > 0,
			})
			at += x.time
			seen[x.Component] = seen[x.Component] || x.time*500 > top
		}
		v.Stacks = append(v.Stacks, k)
	}
	for _, t := range ticksOf(top, 6) {
		v.Ticks = append(v.Ticks, tick{percent(float64(t), float64(top)), report.Duration(t)})
	}
	for _, c := range stacked {
		if seen[c] {
			v.Legend = append(v.Legend, key{looks[c].class, looks[c].name, c.InsideLLM()})
		}
	}
}

// usualShares are the medians of the components, which need not add up to the median of the whole.
func usualShares(w *usual) []share {
	var shares []share
	medians := w.components()
	for _, c := range stacked {
		if medians[c] > 0 {
			shares = append(shares, share{Component: c, time: medians[c]})
		}
	}
	return shares
}
