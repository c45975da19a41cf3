package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// A detail is the view of one question.
type detail struct {
	Name                                    string
	Result                                  diagnose.Result
	Slow                                    *diagnose.Slow
	Warm                                    *warmLine
	Ruler                                   string // where its TTFT was read
	Previous, Next, Compare, Jaeger, InList string // URLs; "" for none
	Stages                                  []stageLine
	Waterfall                               *waterfall // nil when its root is missing
	Spans                                   []spanLine // then
	First                                   []firstLine
	Calls                                   []call
	Flags                                   []string
	Failures                                []string
}

// A warmLine is what is usual of warm peers.
type warmLine struct {
	N   int
	E2E time.Duration
}

// A stageLine is one component beside what is usual.
type stageLine struct {
	Class, Name string
	Inside      bool
	Time        time.Duration
	Usual, Over *time.Duration // nil without warm peers
	Cold        string
}

// A spanLine is a span of which no place is known.
type spanLine struct{ ID, Name, Service string }

// rulers say where a TTFT was read.
var rulers = map[diagnose.Ruler]string{
	diagnose.RulerUser:   "first token at the user",
	diagnose.RulerByte:   "first byte to the user",
	diagnose.RulerClient: "first chunk at the application",
	diagnose.RulerServer: "first token at the LLM server",
}

// trace leads to the only question of a trace, or to the first.
func (p *Page) trace(r *http.Request) (*answer, error) {
	s, err := p.library.get(r.Context())
	if err != nil {
		return nil, err
	}
	name := r.PathValue("trace")
	var id model.TraceID
	if id.UnmarshalText([]byte(name)) == nil {
		if places := s.traces[id]; len(places) > 0 {
			return away(r, questionURL(&s.results[places[0]])), nil
		}
	}
	place, err := s.find(name)
	if err != nil {
		return nil, err
	}
	return away(r, questionURL(&s.results[place])), nil
}

// away leads to another URL, which is answered in the same format.
func away(r *http.Request, to string) *answer {
	if format := r.URL.Query().Get("format"); format != "" {
		to += "?" + url.Values{"format": {format}}.Encode()
	}
	return &answer{redirect: to}
}

func (p *Page) question(r *http.Request) (*answer, error) {
	s, err := p.library.get(r.Context())
	if err != nil {
		return nil, err
	}
	name := r.PathValue("trace") + "/" + r.PathValue("number")
	place, err := s.find(name)
	if err != nil {
		return nil, err
	}
	q := &s.results[place]
	if to := questionURL(q); to != "/q/"+name {
		return away(r, to), nil
	}
	spans, err := p.spans(r.Context(), q.TraceID)
	if err != nil {
		return nil, err
	}
	v := detail{
		Name: report.Name(shown(q.Session), q.Number), Result: *q, Slow: s.slowOf(q), Ruler: rulers[q.TTFTRuler],
		InList: pageURL(nil, max(0, place-defaultShow/2), defaultShow),
	}
	if place > 0 {
		v.Previous = questionURL(&s.results[place-1])
	}
	if place+1 < len(s.results) {
		v.Next = questionURL(&s.results[place+1])
	}
	if p.options.JaegerURL != "" {
		v.Jaeger = p.options.JaegerURL + "/trace/" + q.TraceID.String()
	}
	warm := s.warmOf(q)
	if warm != nil {
		v.Warm = &warmLine{warm.n, warm.e2e}
		if stats.Compared(q) {
			v.Compare = "/compare?a=warm&b=" + name
		}
	}
	v.Stages = stageLines(q, warm)
	flags := slices.Clone(q.Flags)
	layout, ok := diagnose.Lay(spans, *q)
	if ok {
		v.Waterfall = drawWaterfall(&layout, warm)
		v.First = firstLines(layout.First)
		flags = append(flags, layout.Flags...)
		v.Failures = failures(&layout)
	} else {
		for i := range spans[:min(len(spans), maxRows)] {
			v.Spans = append(v.Spans, spanLine{spans[i].SpanID.String(), shown(spans[i].Name), shown(serviceOf(&spans[i]))})
		}
	}
	v.Calls = calls(q, &layout)
	slices.Sort(flags)
	flags = slices.Compact(flags)
	for _, f := range flags {
		v.Flags = append(v.Flags, shown(report.Flag(f)))
	}
	return &answer{template: "question", title: v.Name, nav: "questions", data: v, json: questionJSON(&v, &layout, flags)}, nil
}

// spans reads a trace; one without spans has lost them since its questions were read.
func (p *Page) spans(ctx context.Context, id model.TraceID) ([]model.Span, error) {
	spans, err := p.library.source.Spans(ctx, id)
	if errors.Is(err, ErrNoTrace) {
		return nil, &problem{http.StatusNotFound, "the spans of trace " + id.String() + " are gone", []link{{"all questions", "/"}}}
	}
	return spans, err
}

func serviceOf(s *model.Span) string {
	if s.Resource == nil {
		return ""
	}
	return s.Resource.Service()
}

// stageLines are the components, in the order of the stack, those that are usual but did not occur among them.
func stageLines(r *diagnose.Result, warm *usual) []stageLine {
	if !r.Timed {
		return nil
	}
	times := make(map[diagnose.Component]share)
	for _, s := range sharesOf(r) {
		times[s.Component] = s
	}
	var lines []stageLine
	for _, c := range stacked {
		s := times[c]
		line := stageLine{Class: looks[c].class, Name: looks[c].name, Inside: c.InsideLLM(), Time: s.time}
		if warm != nil {
			usually := warm.components()[c]
			over := s.time - usually
			line.Usual, line.Over = &usually, &over
		}
		if s.time < time.Millisecond/10 && (line.Usual == nil || *line.Usual < time.Millisecond/10) {
			continue
		}
		for _, cold := range r.Cold {
			if cold.Component == c {
				line.Cold = report.Cold(cold.Cause)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// A firstLine is when the first token was where.
type firstLine struct {
	Class, Name string
	What        string // came then, where: "first token at the user"
	At          time.Duration
	X           string // of the axis that they share
}

func firstLines(f diagnose.FirstTokens) []firstLine {
	var lines []firstLine
	top := time.Duration(0)
	for _, x := range []struct {
		class, name, what string
		at                *time.Duration
	}{
		{"ts", "LLM server", "first token at the LLM server", f.Server}, {"tc", "application", "first token at the application", f.Client},
		{"tb", "first byte", "first byte to the user", early(f)}, {"tu", "user", "first token at the user", f.User},
	} {
		if x.at != nil {
			lines = append(lines, firstLine{Class: x.class, Name: x.name, What: x.what, At: *x.at})
			top = max(top, *x.at)
		}
	}
	for i := range lines {
		lines[i].X = percent(float64(lines[i].At), 1.05*float64(top))
	}
	return lines
}

// early is the answer's first byte where it was no token's, or nobody knows.
func early(f diagnose.FirstTokens) *time.Duration {
	if f.Byte == nil || f.User != nil && *f.Byte == *f.User {
		return nil
	}
	return f.Byte
}

// failures says of each failed span what its sender said.
func failures(l *diagnose.Layout) []string {
	var texts []string
	for i := range l.Rows {
		r := &l.Rows[i]
		if !r.Failed || len(texts) == 50 {
			continue
		}
		text := shown(r.Name)
		for _, why := range []string{r.Span.Attrs.String("error.type"), r.Span.StatusMessage} {
			if why != "" {
				text += ": " + shownUpTo(why, 300)
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// questionJSON is the twin of a detail, with all rows.
func questionJSON(v *detail, l *diagnose.Layout, flags []string) any {
	type flagJSON struct {
		Flag string `json:"flag"`
		Text string `json:"text"`
	}
	type warmJSON struct {
		Questions int     `json:"questions"`
		E2E       float64 `json:"e2e_ms"`
	}
	type stageJSON struct {
		Stage string   `json:"stage"`
		Time  float64  `json:"ms"`
		Usual *float64 `json:"warm_p50_ms"`
	}
	out := struct {
		Question diagnose.Result    `json:"question"`
		Slow     *diagnose.Slow     `json:"slow"`
		Warm     *warmJSON          `json:"warm"`
		Stages   []stageJSON        `json:"stages"`
		First    map[string]float64 `json:"first_token_ms"`
		Calls    []callJSON         `json:"calls"`
		Flags    []flagJSON         `json:"flags"`
		Failures []string           `json:"failures"`
		Rows     []rowJSON          `json:"rows"`
		Previous string             `json:"previous,omitempty"`
		Next     string             `json:"next,omitempty"`
		Jaeger   string             `json:"jaeger,omitempty"`
	}{
		Question: v.Result, Slow: v.Slow, Stages: []stageJSON{}, First: map[string]float64{}, Calls: callsJSON(v.Calls),
		Flags: []flagJSON{}, Failures: append([]string{}, v.Failures...), Rows: rowsJSON(l), Previous: v.Previous, Next: v.Next,
		Jaeger: v.Jaeger,
	}
	if v.Warm != nil {
		out.Warm = &warmJSON{v.Warm.N, millis(v.Warm.E2E)}
	}
	for _, s := range v.Stages {
		line := stageJSON{Stage: s.Name, Time: millis(s.Time), Usual: millisOf(s.Usual)}
		out.Stages = append(out.Stages, line)
	}
	for _, f := range v.First {
		out.First[f.Name] = millis(f.At)
	}
	for i, f := range flags {
		out.Flags = append(out.Flags, flagJSON{f, v.Flags[i]})
	}
	return out
}

// millis is a duration in milliseconds with three decimals.
func millis(d time.Duration) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 3, 64), 64)
	return v
}

func millisOf(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	v := millis(*d)
	return &v
}
