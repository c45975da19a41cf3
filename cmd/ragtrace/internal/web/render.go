package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

//go:embed templates/*.html
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"dur":    report.Duration,
	"signed": report.Signed,
	"shown":  shown,
	"asset":  asset,
	"inc":    func(n int) int { return n + 1 },
	"clock":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
}).ParseFS(templateFiles, "templates/*.html"))

// An answer is a view as it is to be shown, and the same as data.
type answer struct {
	status   int    // 0: OK
	template string // its file, without .html
	title    string
	nav      string // which of the views it is
	data     any    // for the template
	json     any    // for programs
	redirect string // instead of all that; a path
}

// A frame is what is around every view.
type frame struct {
	Title string
	Nav   string
	JSON  string // the URL of the twin
	Begin Receiver
	Data  any
}

// A viewer makes an answer. Its error is shown; a problem decides how.
type viewer func(*http.Request) (*answer, error)

// view serves a view as HTML, or as JSON to those who would rather have it.
func (p *Page) view(view viewer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a, err := view(r)
		if err != nil {
			a = failed(err)
		}
		w.Header().Add("Vary", "Accept")
		if a.redirect != "" {
			http.Redirect(w, r, a.redirect, http.StatusFound)
			return
		}
		var body bytes.Buffer
		if wantsJSON(r) {
			w.Header().Set("Content-Type", "application/json")
			out := json.NewEncoder(&body)
			out.SetIndent("", "  ")
			err = out.Encode(a.json)
		} else {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			err = templates.ExecuteTemplate(&body, a.template+".html", frame{a.title, a.nav, twin(r), p.options.Receiver, a.data})
		}
		if err != nil {
			http.Error(w, fmt.Sprintf("the view cannot be drawn: %v", err), http.StatusInternalServerError)
			return
		}
		if a.status != 0 {
			w.WriteHeader(a.status)
		}
		w.Write(body.Bytes())
	}
}

// wantsJSON reports whether JSON is asked for, and before HTML.
func wantsJSON(r *http.Request) bool {
	if format := r.URL.Query().Get("format"); format != "" {
		return format == "json"
	}
	weight := map[string]float64{}
	for _, accept := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(accept, ",") {
			media, params, err := mime.ParseMediaType(part)
			if err != nil {
				continue
			}
			q := 1.0
			if v, err := strconv.ParseFloat(params["q"], 64); err == nil {
				q = v
			}
			weight[media] = max(weight[media], q)
		}
	}
	return weight["application/json"] > max(weight["text/html"], weight["application/xhtml+xml"])
}

// twin is the URL of the same view as JSON, relative to it.
func twin(r *http.Request) string {
	q := r.URL.Query()
	q.Set("format", "json")
	return "?" + q.Encode()
}

// A problem is an error that says what was wrong with a request, and where to go from there.
type problem struct {
	status int
	text   string
	near   []link
}

// A link is a place to go to.
type link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

func (p *problem) Error() string { return p.text }

func badRequest(format string, args ...any) error {
	return &problem{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

// failed is the view of an error.
func failed(err error) *answer {
	p, ok := errors.AsType[*problem](err)
	if !ok {
		p = &problem{status: http.StatusInternalServerError, text: err.Error()}
	}
	type view struct {
		Status int    `json:"status"`
		Error  string `json:"error"`
		Near   []link `json:"near,omitempty"`
	}
	v := view{p.status, p.text, p.near}
	return &answer{status: p.status, template: "error", title: http.StatusText(p.status), data: v, json: v}
}

func (p *Page) nowhere(r *http.Request) (*answer, error) {
	return nil, &problem{status: http.StatusNotFound, text: "there is no page " + shown(path.Clean(r.URL.Path)),
		near: []link{{"Questions", "/"}, {"Compare", "/compare"}, {"Numbers", "/numbers"}}}
}
