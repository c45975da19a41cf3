package web_test

import (
	"fmt"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

// mostBytes is the most that a view weighs, unpacked, with script and style.
const mostBytes = 150_000

func TestViewsInABrowser(t *testing.T) {
	b := newBrowser(t)
	s := &shelf{}
	for _, name := range []string{"07-cold-mix-seed1", "08-keep-alive-expired-seed1", "20-failed-mixed-in-seed1", "30-retries-seed1", "14-gateway-overhead-seed1"} {
		s.add(inSession(verdictCase(t, name), name[3:11])...)
	}
	server := start(t, s, web.Options{Local: true, JaegerURL: "http://127.0.0.1:16686"})
	report := diagnose.Judge(diagnose.Cut(s.spans))
	worst := report.Verdict.Slow[0]
	one := fmt.Sprintf("/q/%s/%d", worst.TraceID, worst.Number)
	var retried string
	for _, q := range report.Questions {
		for _, st := range q.Stages {
			if st.Component == diagnose.Retry && q.Slow {
				retried = fmt.Sprintf("/q/%s/%d", q.TraceID, q.Number)
			}
		}
	}
	views := []struct{ name, path string }{
		{"questions", "/"}, {"cold", "/?cold=1"}, {"zoomed", "/?first=0&show=10"}, {"none", "/?session=nobody"}, {"question", one}, {"retries", retried},
		{"compare", "/compare?a=warm&b=" + one[3:]}, {"compare-start", "/compare"}, {"numbers", "/numbers"}, {"nowhere", "/nowhere"},
	}
	for _, width := range []int64{1440, 360} {
		for _, dark := range []bool{false, true} {
			mode := "light"
			if dark {
				mode = "dark"
			}
			t.Run(fmt.Sprintf("%d-%s", width, mode), func(t *testing.T) {
				tab := b.open(t, server.URL, width, dark)
				for _, v := range views {
					bytes := tab.visit(v.path)
					tab.shoot(fmt.Sprintf("%s-%d-%s", v.name, width, mode))
					if bytes > mostBytes {
						t.Errorf("%s weighs %d bytes", v.name, bytes)
					}
					t.Logf("%s weighs %d bytes", v.name, bytes)
					if over := eval[int](tab, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
						t.Errorf("%s is %d pixels too wide", v.name, over)
					}
				}
			})
		}
	}
}
