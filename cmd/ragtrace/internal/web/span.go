package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A spanView is everything that a span says.
type spanView struct {
	Name, ID, Parent, Kind, Service, Scope string
	Question                               string // URL
	Status                                 string
	Start                                  time.Time
	Time                                   time.Duration
	Attrs                                  []attribute
	Resource                               []attribute
	Events                                 []event
	Links                                  []link
}

type attribute struct{ Key, Value string }

type event struct {
	Name  string
	At    time.Duration // from the span's start
	Attrs []attribute
}

// longestValue is how many characters of a value are shown; the JSON twin has them all.
const longestValue = 2000

var kinds = [...]string{"unspecified", "internal", "server", "client", "producer", "consumer"}

func (p *Page) span(r *http.Request) (*answer, error) {
	var trace model.TraceID
	var id model.SpanID
	if trace.UnmarshalText([]byte(r.PathValue("trace"))) != nil || id.UnmarshalText([]byte(r.PathValue("span"))) != nil {
		return nil, &problem{http.StatusNotFound, "that is no trace or no span", []link{{"all questions", "/"}}}
	}
	spans, err := p.spans(r.Context(), trace)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(spans, func(s model.Span) bool { return s.SpanID == id })
	if i < 0 {
		return nil, &problem{http.StatusNotFound, "trace " + trace.String() + " has no span " + id.String(),
			[]link{{"the question of that trace", "/q/" + trace.String()}}}
	}
	s := &spans[i]
	v := spanView{
		Name: shown(s.Name), ID: id.String(), Service: shown(serviceOf(s)), Question: "/q/" + trace.String(), Status: "unset",
		Start: time.Unix(0, s.Start), Time: time.Duration(s.End - s.Start), Attrs: attributes(s.Attrs),
	}
	if !s.ParentID.IsZero() {
		v.Parent = s.ParentID.String()
	}
	if k := int(s.Kind); k >= 0 && k < len(kinds) {
		v.Kind = kinds[k]
	}
	if s.Resource != nil {
		v.Resource = attributes(s.Resource.Attrs)
	}
	if s.Scope != nil {
		v.Scope = shown(s.Scope.Name + " " + s.Scope.Version)
	}
	switch s.Status {
	case model.StatusError:
		v.Status = "error"
		if s.StatusMessage != "" {
			v.Status += ": " + shownUpTo(s.StatusMessage, longestValue)
		}
	case model.StatusOK:
		v.Status = "ok"
	}
	for _, e := range s.Events {
		v.Events = append(v.Events, event{shown(e.Name), time.Duration(e.Time - s.Start), attributes(e.Attrs)})
	}
	for _, l := range s.Links {
		v.Links = append(v.Links, link{"trace " + l.TraceID.String(), "/q/" + l.TraceID.String()})
	}
	type eventJSON struct {
		Name  string         `json:"name"`
		At    float64        `json:"at_ms"`
		Attrs map[string]any `json:"attributes"`
	}
	out := struct {
		Name     string         `json:"name"`
		ID       string         `json:"span_id"`
		Parent   string         `json:"parent_span_id,omitempty"`
		Kind     string         `json:"kind"`
		Status   string         `json:"status"`
		Start    time.Time      `json:"start"`
		Time     float64        `json:"ms"`
		Attrs    map[string]any `json:"attributes"`
		Resource map[string]any `json:"resource"`
		Events   []eventJSON    `json:"events"`
	}{Name: s.Name, ID: v.ID, Parent: v.Parent, Kind: v.Kind, Status: v.Status, Start: v.Start.UTC(), Time: millis(v.Time),
		Attrs: finite(s.Attrs), Events: []eventJSON{}}
	if s.Resource != nil {
		out.Resource = finite(s.Resource.Attrs)
	}
	for _, e := range s.Events {
		out.Events = append(out.Events, eventJSON{e.Name, millis(time.Duration(e.Time - s.Start)), finite(e.Attrs)})
	}
	return &answer{template: "span", title: v.Name, nav: "questions", data: v, json: out}, nil
}

// attributes are sorted by key.
func attributes(a model.Attrs) []attribute {
	var list []attribute
	for _, key := range slices.Sorted(maps.Keys(a)) {
		list = append(list, attribute{shown(key), value(a[key])})
	}
	return list
}

// value writes an attribute as a person reads it.
func value(v any) string {
	switch v := v.(type) {
	case string:
		text := shownUpTo(v, longestValue)
		if len(v) > longestValue && text != v {
			text += fmt.Sprintf(" (%d bytes; the JSON has them all)", len(v))
		}
		return text
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	b, err := json.Marshal(finiteValue(v))
	if err != nil {
		return shown(fmt.Sprint(v))
	}
	return shownUpTo(string(b), longestValue)
}

// finite is attributes as JSON can have them, which knows neither NaN nor infinity.
func finite(a model.Attrs) map[string]any {
	out := make(map[string]any, len(a))
	for k, v := range a {
		out[k] = finiteValue(v)
	}
	return out
}

func finiteValue(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = finiteValue(v[i])
		}
		return out
	case map[string]any:
		return finite(v)
	case model.Attrs:
		return finite(v)
	}
	return v
}
