package gate

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

func TestParse(t *testing.T) {
	metric := func(name string) *stats.Metric {
		m, ok := stats.Find(name)
		if !ok {
			t.Fatalf("no metric %s", name)
		}
		return m
	}
	for text, want := range map[string]Expr{
		"p95(ttft) < 1500ms":                     {function: percentile, percentile: 95, metric: metric("ttft"), operator: "<", limit: float64(1500 * time.Millisecond)},
		" P50 ( E2E , number = 1 )<=3s ":         {function: percentile, percentile: 50, metric: stats.E2E, filter: stats.Filter{Number: 1}, operator: "<=", limit: float64(3 * time.Second)},
		"p1(llm_load)>0":                         {function: percentile, percentile: 1, metric: metric("llm.load"), operator: ">"},
		"max(embed.load, cold) < 1m":             {function: maximum, metric: metric("embed.load"), filter: stats.Filter{State: stats.Cold}, operator: "<", limit: float64(time.Minute)},
		"p99(tokens.output) < 500":               {function: percentile, percentile: 99, metric: metric("tokens.output"), operator: "<", limit: 500},
		"share(outside) < 40%":                   {function: share, metric: metric("outside"), operator: "<", limit: 0.4},
		"share(outside, warm) < 12.5 %":          {function: share, metric: metric("outside"), filter: stats.Filter{State: stats.Warm}, operator: "<", limit: 0.125},
		"count() >= 10":                          {function: count, operator: ">=", limit: 10},
		"count(session=a)!=0":                    {function: count, filter: stats.Filter{Session: "a"}, operator: "!="},
		"count(ttft.server) > 0":                 {function: count, metric: metric("ttft.server"), operator: ">"},
		"cold(llm_load) == 0":                    {function: cold, cause: "llm_load", operator: "=="},
		"cold() == 0":                            {function: cold, operator: "=="},
		"failed(cancelled, service=app) == 0":    {function: failed, status: diagnose.StatusCancelled, filter: stats.Filter{Service: "app"}, operator: "=="},
		`max(e2e, model=llama3.2:3b/q4) < 2h`:    {function: maximum, metric: stats.E2E, filter: stats.Filter{Model: "llama3.2:3b/q4"}, operator: "<", limit: float64(2 * time.Hour)},
		`max(e2e, session="質問 (1), x") < 1.5s`:   {function: maximum, metric: stats.E2E, filter: stats.Filter{Session: "質問 (1), x"}, operator: "<", limit: float64(1500 * time.Millisecond)},
		"count(warm) > 1":                        {function: count, filter: stats.Filter{State: stats.Warm}, operator: ">", limit: 1},
		"failed(number=2, session=b,model=m)==3": {function: failed, filter: stats.Filter{Number: 2, Session: "b", Model: "m"}, operator: "==", limit: 3},
	} {
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		want.Text = strings.TrimSpace(text)
		if *got != want {
			t.Errorf("%s: %+v, want %+v", text, *got, want)
		}
	}
}

// TestParseErrors has the place of each fault marked below the text.
func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ text, caret, reason string }{
		{"", "^", "expected p50"},
		{"  ", "  ^", "expected p50"},
		{"mean(e2e) < 1s", "^", "mean is no function: expected p50"},
		{"p0(e2e) < 1s", "^", "p0 is no function"},
		{"p100(e2e) < 1s", "^", "p100 is no function"},
		{"p095(e2e) < 1s", "^", "p095 is no function"},
		{"p95 e2e < 1s", "    ^", "expected ( after p95"},
		{"p95", "   ^", "expected ( after p95"},
		{"p95(", "    ^", "expected a name here"},
		{"p95()", "    ^", "p95 needs a metric first: one of e2e, "},
		{"p95(warm) < 1s", "        ^", "p95 needs a metric first"},
		{"p95(ttfx) < 1s", "    ^", "no metric ttfx: did you mean ttft or ttfa?"},
		{"p95(zzzzzzz) < 1s", "    ^", "no metric zzzzzzz: expected e2e, "},
		{"p95(ttft e2e) < 1s", "         ^", "expected , or )"},
		{"p95(ttft, e2e) < 1s", "          ^", "expected number=, session=, model=, service=, warm or cold"},
		{"p95(ttft,) < 1s", "         ^", "expected a name here"},
		{"p95(ttft, numbr=1) < 1s", "          ^", "no argument numbr: did you mean number?"},
		{"p95(ttft, number=0) < 1s", "                 ^", "expected a question's number, from 1"},
		{"p95(ttft, number=one) < 1s", "                 ^", "expected a question's number, from 1"},
		{"p95(ttft, number=1, number=2) < 1s", "                    ^", "number is already chosen"},
		{"p95(ttft, session=) < 1s", "                  ^", "expected a name here"},
		{`p95(ttft, session="a) < 1s`, "                  ^", "this quotation has no end"},
		{"p95(ttft, session=a, session=b) < 1s", "                     ^", "session is already chosen"},
		{"p95(ttft, warm, cold) < 1s", "                ^", "warm or cold is already chosen"},
		{"cold(cold) == 0", "     ^", "cold(...) counts the cold ones"},
		{"cold(llm_laod) == 0", "     ^", "no cold cost llm_laod: did you mean llm_load?"},
		{"failed(ok) == 0", "       ^", "no failed status ok: expected error, cancelled, incomplete"},
		{"share(ttft) < 3%", "      ^", "ttft is no part of E2E: expected one of inside, outside, "},
		{"share( tpot ) < 3%", "       ^", "tpot is no part of E2E"},
		{"p95(ttft) 1s", "          ^", "expected one of < <= > >= == !="},
		{"p95(ttft) = 1s", "          ^", "expected one of < <= > >= == !="},
		{"p95(ttft)", "         ^", "expected one of < <= > >= == !="},
		{"p95(ttft) <", "           ^", "expected a duration such as 1500ms"},
		{"p95(ttft) < 3", "            ^", "expected a duration such as 1500ms"},
		{"p95(ttft) < -3s", "            ^", "expected a duration such as 1500ms"},
		{"p95(ttft) < 40%", "            ^", "expected a duration such as 1500ms"},
		{"share(outside) < 0.4", "                 ^", "expected a percentage such as 40%"},
		{"share(outside) < 140%", "                 ^", "expected a percentage such as 40%"},
		{"share(outside) < NaN%", "                 ^", "expected a percentage such as 40%"},
		{"cold() == -1", "          ^", "expected a whole number"},
		{"count() > 1.5", "          ^", "expected a whole number"},
		{"count() > 1s", "          ^", "expected a whole number"},
		{"p95(ttft) < 1s p95(e2e) < 2s", "               ^", "the expression should end here"},
		{"p95(ttft) < 1s)", "              ^", "the expression should end here"},
	} {
		_, err := Parse(tt.text)
		bad, ok := errors.AsType[*SyntaxError](err)
		if !ok {
			t.Errorf("%q: error %v", tt.text, err)
			continue
		}
		if caret := strings.Repeat(" ", bad.At) + "^"; caret != tt.caret || !strings.HasPrefix(bad.Reason, tt.reason) {
			t.Errorf("\n%s\n%s %s\nwant\n%s %s", tt.text, caret, bad.Reason, tt.caret, tt.reason)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"p95(ttft) < 1500ms", `max(e2e, session="a b", warm) != 3s`, "share(outside) < 40 %", "cold(llm_load)==0", "count() >= 10",
		"failed(error, number=3) < 2", "p95(", `p50(e2e, model="`, "((((", "p95(質問) < 1s",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err == nil {
			if again, err := Parse(e.Text); err != nil || *again != *e {
				t.Fatalf("%q is read as %+v, then as %+v (%v)", text, e, again, err)
			}
			e.Check(nil, stats.Filter{})
			return
		}
		bad, ok := errors.AsType[*SyntaxError](err)
		if !ok || bad.At < 0 || bad.At > len(text) || bad.Reason == "" || bad.Text != text {
			t.Fatalf("%q: %#v", text, err)
		}
	})
}
