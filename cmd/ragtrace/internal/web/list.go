package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// How many questions the list shows at once. From more than lightShow on, it has no table, and bars tell less: nobody reads
// two hundred lines, and all of them have to be sent.
const (
	defaultShow = 60
	lightShow   = 80
	maxShow     = 150
)

// A list is the view of the questions.
type list struct {
	Version  string
	Empty    bool   // there is no question at all
	Nobody   string // says that there is no such session; "" for there is, or none was asked for
	Verdict  diagnose.Verdict
	Slow     []slowLine
	MoreSlow int
	AllSlow  string // URL

	Filter                                      filter
	Sessions, Services, Models, Backends        []string
	Total, Matching, First, Last, Show          int
	Newer, Older, Newest, Oldest, Wider, Closer string // URLs; "" for none
	Latest                                      *link  // the part that holds what was asked last; nil for this one
	Chart                                       barChart
	Overview                                    *overview
	Rows                                        []row
}

// A slowLine is a question that stands out.
type slowLine struct {
	Name, URL   string
	Over        time.Duration
	Side        diagnose.Side
	InsideOver  time.Duration
	OutsideOver time.Duration
	Compare     string
}

// A row is a question in the table.
type row struct {
	Session, Number, URL string
	Timed, Slow          bool
	E2E, Inside, Outside time.Duration
	Unattributed         time.Duration
	TTFT                 *time.Duration
	Notes                string
}

// toldSlow is how many questions that stand out are listed beside the verdict.
const toldSlow = 5

func (p *Page) questions(r *http.Request) (*answer, error) {
	f, err := readFilter(r.URL.Query())
	if err != nil {
		return nil, err
	}
	show, err := number(r.URL.Query(), "show", defaultShow, 5, maxShow)
	if err != nil {
		return nil, err
	}
	s, err := p.library.get(r.Context())
	if err != nil {
		return nil, err
	}
	places := s.choose(&f)
	first, err := number(r.URL.Query(), "first", max(0, len(places)-show), 0, max(0, len(places)-1))
	if err != nil {
		return nil, err
	}
	last := min(first+show, len(places))
	results := make([]diagnose.Result, 0, last-first)
	for _, i := range places[first:last] {
		results = append(results, s.results[i])
	}
	v := list{
		Version: s.version, Empty: len(s.results) == 0, Nobody: s.nobody(&f), Verdict: s.judge(f), Filter: f, Total: len(s.results), Matching: len(places),
		First: first, Last: last, Show: show,
		Sessions: some(s.sessions), Services: some(s.services), Models: some(s.models), Backends: some(s.backends),
	}
	v.pages(&f)
	v.Latest = s.latest(places, first, show, &f)
	var before *diagnose.Result
	if first > 0 {
		before = &s.results[places[first-1]]
	}
	light := len(results) > lightShow
	v.Chart = s.chart(results, before, light)
	v.Overview = s.overview(places, first, show, f.query())
	for i := range results {
		if !light {
			v.Rows = append(v.Rows, s.row(&results[i]))
		}
	}
	for _, q := range v.Verdict.Slow[:min(len(v.Verdict.Slow), toldSlow)] {
		at := "/q/" + q.TraceID.String() + "/" + strconv.Itoa(q.Number)
		v.Slow = append(v.Slow, slowLine{report.Name(shown(q.Session), q.Number), at, q.Over, q.Side, q.InsideOver, q.OutsideOver,
			"/compare?a=warm&b=" + q.TraceID.String() + "/" + strconv.Itoa(q.Number)})
	}
	v.MoreSlow = len(v.Verdict.Slow) - len(v.Slow)
	slow := f
	slow.Slow = true
	v.AllSlow = "/?" + slow.query().Encode()
	return &answer{template: "list", title: "Questions", nav: "questions", data: v, json: struct {
		Total     int               `json:"total"`
		Matching  int               `json:"matching"`
		First     int               `json:"first"`
		Questions []diagnose.Result `json:"questions"`
		Verdict   diagnose.Verdict  `json:"verdict"`
	}{v.Total, v.Matching, first, results, v.Verdict}}, nil
}

// choose finds the places of the questions that a filter leaves.
func (s *snapshot) choose(f *filter) []int {
	places := make([]int, 0, len(s.results))
	for i := range s.results {
		if f.chooses(&s.results[i]) {
			places = append(places, i)
		}
	}
	return places
}

// some names are as many as anybody chooses from; others can be typed. Nobody chooses a name that fills the screen.
func some(names []string) []string {
	chosen := make([]string, 0, min(len(names), 100))
	for _, name := range names {
		if len(chosen) < cap(chosen) && len(name) <= longest {
			chosen = append(chosen, name)
		}
	}
	return chosen
}

// pages fills in where to go from this part of the list.
func (v *list) pages(f *filter) {
	q := f.query()
	at := func(first, show int) string { return pageURL(q, max(0, first), show) }
	if v.First > 0 {
		v.Older, v.Oldest = at(v.First-v.Show, v.Show), at(0, v.Show)
	}
	if v.Last < v.Matching {
		v.Newer, v.Newest = at(v.First+v.Show, v.Show), at(v.Matching-v.Show, v.Show)
	}
	if v.Show < maxShow && v.Last-v.First < v.Matching {
		v.Wider = at(v.First-v.Show/2, min(2*v.Show, maxShow))
	}
	if shown := v.Last - v.First; shown > 10 {
		v.Closer = at(v.First+shown/4, max(5, shown/2))
	}
}

// latest leads to the question at places that was asked last where the part from first on does not show it: an
// old session may go on.
func (s *snapshot) latest(places []int, first, show int, f *filter) *link {
	last := -1
	for i := range places {
		if last < 0 || s.results[places[i]].Start.After(s.results[places[last]].Start) {
			last = i
		}
	}
	if last < 0 || first <= last && last < first+show {
		return nil
	}
	r := &s.results[places[last]]
	return &link{report.Name(shownUpTo(r.Session, 40), r.Number), pageURL(f.query(), max(0, last-show/2), show)}
}

func (s *snapshot) row(r *diagnose.Result) row {
	w := row{
		Session: shownUpTo(r.Session, 40), Number: strconv.Itoa(r.Number), URL: questionURL(r), Timed: r.Timed, Slow: r.Slow,
		E2E: r.E2E, Inside: r.Inside, Outside: r.Outside, Unattributed: r.Unattributed, TTFT: r.TTFT,
	}
	var notes []string
	if slow := s.slowOf(r); slow != nil {
		notes = append(notes, report.Duration(slow.Over)+" over")
	}
	if r.Status != diagnose.StatusOK {
		notes = append(notes, string(r.Status))
	}
	if len(r.Cold) > 0 {
		names := make([]string, len(r.Cold))
		for i, c := range r.Cold {
			names[i] = report.Cold(c.Cause)
		}
		notes = append(notes, "cold: "+strings.Join(names, ", "))
	}
	w.Notes = strings.Join(notes, "; ")
	return w
}
