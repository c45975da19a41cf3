package gate

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

const ms = time.Millisecond

// results are six questions of session a. Number 1 is cold: 3000 ms, of it 300 outside; 2 to 4 take 1000, 1100 and 1200 ms
// with 100, 400 and 700 ms outside; 5 was cancelled and 6 broke off.
func results() []diagnose.Result {
	var all []diagnose.Result
	for i, e2e := range []time.Duration{3000 * ms, 1000 * ms, 1100 * ms, 1200 * ms, 60_000 * ms, 10 * ms} {
		q := &diagnose.Question{
			TraceID: model.TraceID{byte(i + 1)}, Session: "a", Number: i + 1, Service: "app", Status: diagnose.StatusOK, Start: 1, End: 1 + int64(e2e),
			TTFT: e2e / 2, TTFTRuler: diagnose.RulerUser,
			Calls: []diagnose.Call{{Model: "m", Input: 10, Output: int64(10 * (i + 1))}},
		}
		outside := []time.Duration{300 * ms, 100 * ms, 400 * ms, 700 * ms, 0, 0}[i]
		q.Components[diagnose.Search], q.Components[diagnose.LLMDecode] = outside, e2e-outside
		switch i {
		case 4:
			q.Status = diagnose.StatusCancelled
		case 5:
			q.Status = diagnose.StatusIncomplete
		}
		r := diagnose.Result{Session: "a", Number: i + 1, TraceID: q.TraceID, Timed: true, Status: q.Status, Question: q}
		if i == 0 {
			r.Cold = []diagnose.Cold{{Cause: "llm_load", Time: 1800 * ms}, {Cause: "embed_load", Time: 200 * ms}}
		}
		all = append(all, r)
	}
	return all
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		text      string
		pass      bool
		value     float64 // in the unit of JSON
		offenders []int
	}{
		// 1000, 1100, 1200, 3000: rank 1.5, and rank 2.85.
		{"p50(e2e) < 1200ms", true, 1150, nil},
		{"p50(e2e) < 1150ms", false, 1150, []int{1, 4}},
		{"p50(e2e) <= 1150ms", true, 1150, nil},
		{"p95(e2e) < 2s", false, 2730, []int{1}},
		{"p95(e2e, warm) < 2s", true, 1190, nil},
		{"max(e2e) < 2s", false, 3000, []int{1}},
		{"max(e2e, number=2) < 1s", false, 1000, []int{2}},
		{"p50(ttft) > 1s", false, 575, []int{2, 3, 4}},
		{"max(tokens.output) <= 30", false, 40, []int{4}},
		// 10 %, 10 %, 36.36 %, 58.33 %
		{"share(outside) < 40%", true, 23.182, nil},
		{"share(outside) < 20%", false, 23.182, []int{4, 3}},
		{"count() >= 4", true, 4, nil},
		{"count() >= 10", false, 4, nil},
		{"count(session=b) == 0", true, 0, nil},
		{"count(ttft, cold) == 1", true, 1, nil},
		{"cold(llm_load) == 0", false, 1, []int{1}},
		{"cold(rerank_cold) == 0", true, 0, nil},
		{"cold() <= 1", true, 1, nil},
		{"cold() >= 2", false, 1, nil},
		{"failed() == 0", false, 2, []int{5, 6}},
		{"failed(cancelled) == 0", false, 1, []int{5}},
		{"failed(error) == 0", true, 0, nil},
		{"failed(warm) != 2", false, 2, []int{5, 6}},
	} {
		e, err := Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		o := e.Check(results(), stats.Filter{})
		if o.Value == nil || o.Expr.Unit().scale(*o.Value) != tt.value || o.Pass != tt.pass {
			t.Errorf("%s: pass %t, value %v (%s), want %v", tt.text, o.Pass, o.Value, o.Note, tt.value)
		}
		var offenders []int
		for _, x := range o.Offenders {
			offenders = append(offenders, x.Number)
		}
		if diff := cmp.Diff(tt.offenders, offenders); diff != "" {
			t.Errorf("%s: offenders %s", tt.text, diff)
		}
	}
}

func TestNoValuesNeverPass(t *testing.T) {
	for text, note := range map[string]string{
		"p95(ttft, session=b) < 1h":     "no values",
		"p95(rerank, number=9) < 1h":    "no values",
		"p95(ttft.client) < 1h":         "no values by this ruler (ttft has 4)",
		"share(outside, model=x) < 99%": "no values",
		"cold(session=b) == 0":          "no values: no question was chosen",
		"failed(session=b) == 0":        "no values: no question was chosen",
		"max(tpot) != 1s":               "no values",
	} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if o := e.Check(results(), stats.Filter{}); o.Pass || o.Value != nil || o.Note != note {
			t.Errorf("%s: pass %t, value %v, note %q, want %q", text, o.Pass, o.Value, o.Note, note)
		}
		if o := e.Check(nil, stats.Filter{}); o.Pass {
			t.Errorf("%s holds of nothing", text)
		}
	}
}

func TestWhatWasColdIsNotToldOfQuestionsWithoutTimes(t *testing.T) {
	unread := []diagnose.Result{
		{Number: 1, Status: diagnose.StatusIncomplete, Question: &diagnose.Question{}},
		{Number: 2, Status: diagnose.StatusIncomplete, Question: &diagnose.Question{}},
	}
	read := diagnose.Result{Number: 3, Timed: true, Status: diagnose.StatusOK, Question: &diagnose.Question{Start: 1, End: 2}}
	for _, text := range []string{"cold() == 0", "cold(llm_load) == 0", "cold() < 5"} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		o := e.Check(unread, stats.Filter{})
		if o.Pass || o.Value != nil || o.N != 0 || o.Note != "no values: no chosen question has times" {
			t.Errorf("%s of two questions without times: pass %v, n %d, %q", text, o.Pass, o.N, o.Note)
		}
		if o := e.Check(append(unread, read), stats.Filter{}); !o.Pass || o.N != 1 {
			t.Errorf("%s of one with times beside them: pass %v, n %d", text, o.Pass, o.N)
		}
	}
	e, err := Parse("failed() == 0")
	if err != nil {
		t.Fatal(err)
	}
	if o := e.Check(unread, stats.Filter{}); o.Pass || o.N != 2 || len(o.Offenders) != 2 {
		t.Errorf("questions without times did not fail: %+v", o)
	}
}

func TestFlagsAndArgumentsChooseTogether(t *testing.T) {
	e, _ := Parse("count(number=2) == 1")
	if o := e.Check(results(), stats.Filter{Session: "a"}); !o.Pass {
		t.Error("session a and number 2 choose nothing")
	}
	if o := e.Check(results(), stats.Filter{Number: 3}); o.Pass || o.Value != nil || o.Note == "" {
		t.Errorf("numbers 2 and 3 at once: %+v", o)
	}
}

func TestFewValuesAreSaid(t *testing.T) {
	for text, few := range map[string]bool{"p95(e2e) < 1h": true, "p50(e2e) < 1h": false, "max(e2e) < 1h": false, "p75(e2e) < 1h": false, "p76(e2e) < 1h": true} {
		e, _ := Parse(text)
		if o := e.Check(results(), stats.Filter{}); (o.Note != "") != few || !o.Pass {
			t.Errorf("%s of four values: note %q", text, o.Note)
		}
	}
}

func TestOutcomeJSON(t *testing.T) {
	e, _ := Parse("cold(llm_load) == 0")
	data, err := json.Marshal(e.Check(results(), stats.Filter{}))
	want := `{"expression":"cold(llm_load) == 0","pass":false,"value":1,"limit":0,"unit":"count","n":6,"offenders":[` +
		`{"session":"a","number":1,"trace_id":"01000000000000000000000000000000","value":1,"cold_ms":1800}]}`
	if err != nil || string(data) != want {
		t.Errorf("%v %s, want %s", err, data, want)
	}
	e, _ = Parse("share(llm.decode) > 95%")
	data, _ = json.Marshal(e.Check(nil, stats.Filter{}))
	want = `{"expression":"share(llm.decode) \u003e 95%","pass":false,"value":null,"limit":95,"unit":"%","n":0,"note":"no values","offenders":[]}`
	if string(data) != want {
		t.Errorf("%s, want %s", data, want)
	}
}

func TestJUnit(t *testing.T) {
	var outcomes []Outcome
	for _, text := range []string{"p50(e2e) < 2s", `max(e2e, model="m") < 2s`} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, e.Check(results(), stats.Filter{}))
	}
	var b strings.Builder
	err := WriteJUnit(&b, outcomes, func(Outcome) string { return "3000 ms & more" }, func(Outcome) []string { return []string{"a/1", "a/<2>"} })
	if err != nil {
		t.Fatal(err)
	}
	var got suitesXML
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	want := suitesXML{XMLName: xml.Name{Local: "testsuites"}, Tests: 2, Failures: 1, Suite: suiteXML{Name: "ragtrace check", Tests: 2, Failures: 1, Cases: []caseXML{
		{Name: "p50(e2e) < 2s", Class: "ragtrace.check"},
		{Name: `max(e2e, model="m") < 2s`, Class: "ragtrace.check", Failure: &failureXML{Message: "3000 ms & more", Text: "a/1\na/<2>"}},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
