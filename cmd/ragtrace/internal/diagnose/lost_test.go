package diagnose

import (
	"strings"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

func TestLost(t *testing.T) {
	span := func(id, parent byte, stage string, start, end int64, why string) model.Span {
		s := laid(id, parent, "POST", stage, start, end)
		s.Kind = model.KindClient
		if stage == "" {
			s.Attrs["http.request.method"] = "POST"
		}
		if why != "" {
			s.Status = model.StatusError
			s.Attrs["error.type"] = why
		}
		return s
	}
	for _, tt := range []struct {
		name  string
		spans []model.Span
		want  string
	}{
		{"nothing failed", []model.Span{span(2, 1, "llm", 0, 500, "")}, ""},
		{"refused", []model.Span{span(2, 1, "llm", 0, 500, "connection_refused")}, "an LLM call that failed"},
		{"left", []model.Span{span(2, 1, "llm", 0, 500, "canceled")}, "an LLM call that the client left"},
		{"broken off", []model.Span{span(2, 1, "llm", 0, 500, "unexpected_eof")}, "an LLM call that broke off"},
		{"called again", []model.Span{span(2, 1, "llm", 0, 300, "503"), span(3, 1, "llm", 300, 900, "")},
			"failed attempts and the wait for the next one"},
		{"attempted again at once", []model.Span{
			span(2, 1, "llm", 0, 900, ""), span(3, 2, "", 0, 300, "503"), span(4, 2, "", 300, 900, ""),
		}, "failed attempts and the wait for the next one"},
		{"one attempt of a failed call", []model.Span{span(2, 1, "llm", 0, 500, "503"), span(3, 2, "", 0, 500, "503")},
			"an LLM call that failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := lay(t, append([]model.Span{laid(1, 0, "question", "question", 0, 1000)}, tt.spans...))
			if got := l.Lost(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestNoRetryIsNone has one question whose only call fails after 3 s, and that ends well all the same.
func TestNoRetryIsNone(t *testing.T) {
	spans := play(5, func(i int, p *plan) {
		if i == 5 {
			p.noPhases, p.decode = true, 3000*ms
		}
	})
	for i := range spans {
		if s := &spans[i]; s.Attrs.String("ragtrace.stage") == "llm" && time.Duration(s.End-s.Start) > 3*time.Second {
			s.Status = model.StatusError
		}
	}
	v := Judge(Cut(spans)).Verdict
	if !strings.Contains(v.Text, "in an LLM call that failed (outside)") || strings.Contains(v.Text, "next") {
		t.Errorf("text %q", v.Text)
	}
}

func TestGapNamesTheRequestThatFillsIt(t *testing.T) {
	post := laid(2, 1, "POST", "", 110, 890)
	post.Kind = model.KindClient
	post.Attrs["http.request.method"], post.Attrs["server.address"] = "POST", "auth.example"
	short := laid(3, 1, "GET", "", 1100, 1200) // less than half of its gap
	short.Kind = model.KindClient
	short.Attrs["http.request.method"], short.Attrs["url.full"] = "GET", "http://other.example/x"
	l := lay(t, []model.Span{
		laid(1, 0, "question", "question", 0, 2000), laid(4, 1, "embed", "embed", 0, 100), post, laid(5, 1, "search", "search", 900, 1000), short,
	})
	var gaps []string
	for _, r := range l.Rows {
		if r.Kind == RowGap {
			gaps = append(gaps, r.Name)
		}
	}
	if got := strings.Join(gaps, ", "); got != "no stage (POST auth.example), gap" {
		t.Errorf("gaps: %s", got)
	}
}
