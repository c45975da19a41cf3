package diagnose

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// TestTwentyRuns is the example that a mean gets wrong: eighteen of about a second, two of thirty after keep_alive ran out.
func TestTwentyRuns(t *testing.T) {
	r := Judge(Cut(play(20, func(i int, p *plan) {
		if i == 9 || i == 15 {
			p.idle, p.load = 420*time.Second, 29*time.Second
		}
	})))
	if diff := cmp.Diff([]int{9, 15}, sorted(slowNumbers(r))); diff != "" {
		t.Errorf("slow (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"keep_alive_expired"}, names(r.Verdict.Causes)); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	// Each took 30.134 s: 1142 ms with a load of 29 s in place of 8 ms, so 28.992 s above the others.
	want := "2 of 20 questions stand out, 58 s above the medians of the others in all, 100 % of it inside the LLM. " +
		"Question 9 of session a took 30.1 s, 29 s more than the median of the other 19: 29 s model load after keep_alive of 300 s, " +
		"idle for 420 s (inside the LLM). Warm it would have taken 1140 ms. " +
		"Question 15 of session a took 30.1 s, 29 s more than the median of the other 19: 29 s model load after keep_alive of 300 s, " +
		"idle for 420 s (inside the LLM). Warm it would have taken 1140 ms."
	if got := strings.ReplaceAll(r.Verdict.Text, ".0 s", " s"); got != want {
		t.Errorf("text:\n%s\nwant:\n%s", got, want)
	}
	advice := Advice(r, "keep_alive_expired")
	for _, word := range []string{"keep_alive of m", "300 s", "420 s", "10m"} {
		if !strings.Contains(advice, word) {
			t.Errorf("advice %q lacks %q", advice, word)
		}
	}
}

// TestSharedLoad has a second session ask while the first one's question loads the model.
func TestSharedLoad(t *testing.T) {
	var s scene
	first := warm()
	first.load = 4000 * ms
	s.ask(first)
	end := s.now
	s.now = end - 4500*ms // embeds while the first question waits; its load begins 132 ms later
	second := warm()
	second.session, second.idle, second.load = "b", 0, 3500*ms
	s.ask(second)
	s.now = max(end, s.now)
	for range 6 {
		s.ask(warm())
	}
	r := Judge(Cut(s.spans))
	want := map[string][]string{"a": {"llm_load"}, "b": {"shared_load"}}
	got := make(map[string][]string)
	for _, q := range r.Verdict.Slow {
		got[q.Session] = names(q.Causes)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("causes by session (-want +got):\n%s", diff)
	}
	if !strings.Contains(Advice(r, "shared_load"), "question 1 of session a") {
		t.Errorf("advice = %q", Advice(r, "shared_load"))
	}
}

// TestGroups compares questions with those of their own service and pipeline only, over all sessions.
func TestGroups(t *testing.T) {
	var s scene
	for i := range 12 {
		p := warm()
		p.session = []string{"a", "b"}[i%2]
		if i%3 == 0 {
			p.pipeline, p.decode = "deep", 20*time.Second
		}
		s.ask(p)
	}
	r := Judge(Cut(s.spans))
	if r.Verdict.Side != SideNone || len(r.Verdict.Slow) > 0 {
		t.Errorf("%s %v", r.Verdict.Side, r.Verdict.Slow)
	}
	if want := "No question stands out among 12 of 2 pipelines."; r.Verdict.Text != want {
		t.Errorf("text = %q, want %q", r.Verdict.Text, want)
	}
}

// TestVerdictOn has two slow questions, of which the verdict tells one; what is usual stays that of all.
func TestVerdictOn(t *testing.T) {
	questions := Cut(play(6, func(i int, p *plan) {
		switch i {
		case 2:
			p.queue = 3000 * ms
		case 5:
			p.search = 2000 * ms
		}
	}))
	number := func(n int) func(*Result) bool { return func(r *Result) bool { return r.Number == n } }
	r := Report{Verdict: VerdictOn(questions, number(5))}
	if r.Verdict.Side != SideOutside {
		t.Errorf("side %s", r.Verdict.Side)
	}
	if diff := cmp.Diff([]int{5}, slowNumbers(r)); diff != "" {
		t.Errorf("slow (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"search_slow"}, names(r.Verdict.Causes)); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	if got := r.Verdict.Slow[0].Baseline; got != 1142*ms { // of the warm ones, though one of the other five is not
		t.Errorf("baseline %v", got)
	}
	if text := r.Verdict.Text; strings.Contains(text, "uestion 2") || len(r.Verdict.Advice) != 1 {
		t.Errorf("text %q, advice %v", text, r.Verdict.Advice)
	}
	if v := VerdictOn(questions, number(1)); v.Text != "None of the questions asked for stands out." || v.Side != SideNone || len(v.Slow)+len(v.Causes)+len(v.Advice) > 0 {
		t.Errorf("verdict %+v", v)
	}
}

// TestUndecided has too few questions, or parts that do not add up.
func TestUndecided(t *testing.T) {
	t.Run("two questions", func(t *testing.T) {
		r := Judge(Cut(play(2, only(1, func(p *plan) { p.load = 9 * time.Second }))))
		v := r.Verdict
		if v.Side != SideUndecided || len(v.Slow)+len(v.Causes) > 0 || v.InsideShare != nil {
			t.Errorf("verdict %+v", v)
		}
		if cold := r.Questions[0].Cold; len(cold) != 1 || cold[0].Cause != "llm_load" || cold[0].Time != 9*time.Second {
			t.Errorf("cold %v", cold)
		}
		if !strings.Contains(v.Text, "only 2 questions ended well") || !strings.Contains(v.Text, "9000 ms model load") {
			t.Errorf("text = %q", v.Text)
		}
	})
	t.Run("parts exceed the whole", func(t *testing.T) {
		r := Judge(Cut(play(6, only(3, func(p *plan) {
			p.queue = 3000 * ms
			p.call = model.Attrs{"ragtrace.llm.load.duration": 4.0, "ragtrace.llm.decode.duration": 3.0}
		}))))
		v := r.Verdict
		if v.Side != SideUndecided || len(v.Causes) > 0 || v.InsideShare != nil {
			t.Errorf("verdict %+v", v)
		}
		if len(v.Slow) != 1 || v.Slow[0].Number != 3 || v.Slow[0].Side != SideUndecided || len(v.Slow[0].Causes) > 0 {
			t.Errorf("slow %+v", v.Slow)
		}
		if !strings.Contains(v.Text, "no side is named") {
			t.Errorf("text = %q", v.Text)
		}
	})
	t.Run("nothing", func(t *testing.T) {
		r := Judge(nil)
		if r.Verdict.Side != SideUndecided || r.Verdict.Text != "These spans hold no question." {
			t.Errorf("verdict %+v", r.Verdict)
		}
		data, err := json.Marshal(r)
		want := `{"text":"These spans hold no question.","slow":[],"side":"undecided","causes":[],"costs":[],"advice":[],"questions":[]}`
		if err != nil || string(data) != want {
			t.Errorf("JSON %s, %v", data, err)
		}
	})
}

// TestCold lists cold costs whether or not the question took long.
func TestCold(t *testing.T) {
	r := Judge(Cut(play(5, func(i int, p *plan) {
		switch i {
		case 1:
			p.status, p.load, p.connect = model.StatusError, 2000*ms, 30*ms
		case 3:
			p.load = 255 * ms // above 250 ms and five times 8 ms
		case 4:
			p.embedLoad = 240 * ms // handler work
		}
	})))
	want := [][]Cold{
		{{"llm_load", LLMLoad, 2000 * ms}, {"connection_setup", Connect, 30 * ms}}, nil, {{"llm_load", LLMLoad, 255 * ms}}, nil, nil,
	}
	var got [][]Cold
	for _, q := range r.Questions {
		got = append(got, q.Cold)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cold (-want +got):\n%s", diff)
	}
}

// TestReportJSON spells a report's JSON out.
func TestReportJSON(t *testing.T) {
	spans := draw(
		drawn{id: 1, to: 1000500 * time.Microsecond, attrs: numbered("question", 1)},
		drawn{id: 2, parent: 1, from: 100 * ms, to: 900*ms + 400*time.Nanosecond, kind: client, attrs: stage("llm")},
		drawn{id: 3, parent: 2, from: 200 * ms, to: 900 * ms, attrs: stage("llm.decode")},
		drawn{id: 4, parent: 1, from: 300 * ms, to: 1000 * ms, attrs: stage("answer")},
		drawn{id: 1, trace: 1, from: 3000500 * time.Microsecond, to: 3500 * ms, attrs: numbered("question", 2)},
		drawn{id: 2, trace: 2, parent: 1, from: 5000 * ms, to: 5500 * ms, attrs: numbered("search", 3)},
	)
	data, err := json.Marshal(Judge(Cut(spans)).Questions)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"session":"a","number":1,"trace_id":"01000000000000000000000000000000","start":"2027-01-15T08:00:00Z",` +
		`"e2e_ms":1000.500,"ttft_ms":300.000,"ttft_ruler":"first_byte","first_byte_ms":300.000,"status":"ok","inside_llm_ms":700.000,"outside_llm_ms":300.500,` +
		`"unattributed_ms":100.500,"stages":[{"stage":"llm.decode","ms":700.000,"inside_llm":true},` +
		`{"stage":"transport","ms":100.000,"inside_llm":false},{"stage":"answer","ms":100.000,"inside_llm":false},` +
		`{"stage":"gap.start","ms":100.000,"inside_llm":false},{"stage":"gap","ms":0.500,"inside_llm":false}],"cold":[],"flags":[]},` +
		`{"session":"a","number":2,"trace_id":"02000000000000000000000000000000","start":"2027-01-15T08:00:03.0005Z",` +
		`"idle_before_ms":2000.000,"e2e_ms":499.500,"ttft_ms":null,"status":"ok","inside_llm_ms":0.000,"outside_llm_ms":499.500,` +
		`"unattributed_ms":499.500,"stages":[{"stage":"gap","ms":499.500,"inside_llm":false}],"cold":[],"flags":[]},` +
		`{"session":"a","number":3,"trace_id":"03000000000000000000000000000000","start":null,"e2e_ms":null,"ttft_ms":null,` +
		`"status":"incomplete","inside_llm_ms":null,"outside_llm_ms":null,"unattributed_ms":null,"stages":[],"cold":[],` +
		`"flags":["missing_root","orphan_spans"]}]`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

// TestSlowNumbers checks the numbers of one slow question.
func TestSlowNumbers(t *testing.T) {
	r := Judge(Cut(play(4, func(i int, p *plan) {
		p.queue = []time.Duration{2 * ms, 12 * ms, 1002 * ms, 2 * ms}[i-1]
		p.search = []time.Duration{30 * ms, 30 * ms, 130 * ms, 40 * ms}[i-1]
	})))
	if len(r.Verdict.Slow) != 1 {
		t.Fatalf("slow %v", r.Verdict.Slow)
	}
	got := r.Verdict.Slow[0]
	// The others took 1142, 1152 and 1152 ms, 1010, 1020 and 1010 of them inside; question 3 took 2242 and 2010.
	want := Slow{
		Session: "a", Number: 3, TraceID: got.TraceID, E2E: 2242 * ms, Baseline: 1152 * ms, Over: 1090 * ms, InsideOver: 1000 * ms,
		OutsideOver: 100 * ms, Side: SideInside, Causes: []Cause{{"llm_queue", 1000 * ms}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("slow (-want +got):\n%s", diff)
	}
	if share := *r.Verdict.InsideShare; share < 0.909 || share > 0.9091 {
		t.Errorf("inside share = %v, want 1000/1100", share)
	}
}

func TestTextsAreComplete(t *testing.T) {
	for cause := range phrases {
		if _, ok := Explain(cause); !ok {
			t.Errorf("no text on %s", cause)
		}
		if causeSides[cause] == "" {
			t.Errorf("no side of %s", cause)
		}
	}
	for _, cause := range Causes() {
		text, _ := Explain(cause)
		if phrases[cause] == "" || texts[cause].advice == "" || !strings.Contains(text, "Verify: ") || !strings.Contains(text, "Do: ") {
			t.Errorf("texts on %s are incomplete", cause)
		}
	}
	if _, ok := Explain("no_such_cause"); ok || Advice(Report{}, "no_such_cause") != "" {
		t.Error("a cause that does not exist is explained")
	}
}

// TestForeignNames keeps a session's control characters out of the text.
func TestForeignNames(t *testing.T) {
	r := Judge(Cut(play(5, func(i int, p *plan) {
		p.session = "\x1b[31mred"
		if i == 2 {
			p.queue = 5000 * ms
		}
	})))
	if strings.ContainsRune(r.Verdict.Text, '\x1b') || !strings.Contains(r.Verdict.Text, `"\x1b[31mred"`) {
		t.Errorf("text = %q", r.Verdict.Text)
	}
}

func TestTimeText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 420 * time.Microsecond: "0.42 ms", 12345 * time.Microsecond: "12.3 ms", 999960 * time.Microsecond: "1000 ms",
		843 * ms: "843 ms", 6894 * ms: "6890 ms", 9996 * ms: "10.0 s", 12350 * ms: "12.4 s", 725 * time.Second: "725 s",
	} {
		if got := timeText(d); got != want {
			t.Errorf("timeText(%v) = %q, want %q", d, got, want)
		}
	}
}

// TestManySlow tells the worst three and names the rest.
func TestManySlow(t *testing.T) {
	r := Judge(Cut(play(12, func(i int, p *plan) {
		if i <= 5 {
			p.queue = time.Duration(10-i) * time.Second
		}
	})))
	// 35 s of waiting, less the 2 ms of the others each: 34.99 s.
	for _, part := range []string{
		"5 of 12 questions stand out, 35.0 s above the medians of the others in all, 100 % of it inside the LLM. Question 1 of session a took 10.1 s",
		"Question 3 of session a took 8140 ms, 7000 ms more than the median of the other 11: 7000 ms waiting for the LLM server (inside the LLM).",
		"Further: question 4 of session a and question 5 of session a.",
	} {
		if !strings.Contains(r.Verdict.Text, part) {
			t.Errorf("text lacks %q:\n%s", part, r.Verdict.Text)
		}
	}
}

// TestManySides tells each side of one question with its parts.
func TestManySides(t *testing.T) {
	r := Judge(Cut(play(12, only(1, func(p *plan) {
		p.session, p.load, p.embedLoad, p.search = "", 4108*ms, 1600*ms, 930*ms
	}))))
	// 1142 + 4100 + 1600 + 900 ms; the first search is less than a fifth of 6600 ms.
	want := "Question 1 took 7740 ms, 6600 ms more than the median of the other 11: 4100 ms model load (inside the LLM), " +
		"1600 ms embedding model load (outside). Warm it would have taken 2040 ms."
	if r.Verdict.Text != want {
		t.Errorf("text:\n%s\nwant:\n%s", r.Verdict.Text, want)
	}
	if r.Questions[0].IdleBefore != nil || r.Questions[1].IdleBefore != nil || *r.Questions[2].IdleBefore != 10*time.Second {
		t.Errorf("idle before: %v, %v, %v", r.Questions[0].IdleBefore, r.Questions[1].IdleBefore, r.Questions[2].IdleBefore)
	}
}
