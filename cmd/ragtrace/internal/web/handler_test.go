package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

func tenServed(t *testing.T) string {
	t.Helper()
	s := &shelf{}
	s.add(ten()...)
	return start(t, s, web.Options{Local: true}).URL
}

// decode reads the JSON of a path.
func decode(t *testing.T, url string) map[string]any {
	t.Helper()
	_, body, header := get(t, url, "application/json")
	if kind := header.Get("Content-Type"); kind != "application/json" {
		t.Fatalf("%s: Content-Type %s", url, kind)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return v
}

func TestEveryViewHasATwin(t *testing.T) {
	url := tenServed(t)
	id := traceID(1).String()
	for path, key := range map[string]string{
		"/": "verdict", "/q/" + id: "question", "/q/" + id + "/1": "rows", "/q/" + id + "/s/0000000000000003": "attributes",
		"/compare?a=warm&b=a/1": "comparison", "/compare": "comparison", "/numbers": "groups", "/nowhere": "near",
	} {
		_, body, header := get(t, url+path, "text/html,application/json;q=0.9")
		if kind := header.Get("Content-Type"); kind != "text/html; charset=utf-8" || !strings.Contains(body, "<h1") {
			t.Errorf("%s: %s without a heading", path, kind)
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"} {
			if header.Get(name) == "" {
				t.Errorf("%s: no %s", path, name)
			}
		}
		if strings.Contains(body, " style=") || strings.Contains(body, "<style") || strings.Contains(body, " onclick") {
			t.Errorf("%s: the policy forbids styles and handlers in the page", path)
		}
		if v := decode(t, url+path); v[key] == nil {
			t.Errorf("%s: no %q in its JSON: %v", path, key, v)
		}
		joint := "?"
		if strings.Contains(path, "?") {
			joint = "&"
		}
		if _, asked, header := get(t, url+path+joint+"format=json", "text/html"); header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: format=json gives %.60s", path, asked)
		}
	}
}

// The verdict on the page is the one of the command.
func TestTheListIsTheDiagnosis(t *testing.T) {
	url := tenServed(t)
	got := decode(t, url)
	data, err := json.Marshal(diagnose.Judge(diagnose.Cut(ten())))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want["questions"], got["questions"]); diff != "" {
		t.Errorf("questions: %s", diff)
	}
	delete(want, "questions")
	if diff := cmp.Diff(any(want), got["verdict"]); diff != "" {
		t.Errorf("verdict: %s", diff)
	}
	if got["total"] != 10. || got["matching"] != 10. {
		t.Errorf("%v of %v questions", got["matching"], got["total"])
	}
}

func TestFilters(t *testing.T) {
	s := &shelf{}
	s.add(ten()...)
	for n := 11; n <= 13; n++ { // an hour later, of another session and model
		s.add(script{session: "b", number: n - 10, at: 3600e9 + 100e9*1, attrs: model.Attrs{"gen_ai.request.model": "other", "gen_ai.provider.name": "vllm"}}.spans(n)...)
	}
	url := start(t, s, web.Options{}).URL
	for query, want := range map[string]float64{
		"": 13, "session=a": 10, "session=b": 3, "session=c": 0, "model=m": 10, "backend=vllm": 3, "slow=1": 1, "cold=1": 1,
		"cold=1&session=b": 0, "since=2026-06-02T09:00": 3, "until=2026-06-02T09:00": 10, "since=2026-06-02T08:00:35Z&until=2026-06-02T08:01:00Z": 2,
		"service=app": 13, "service=other": 0,
	} {
		if got := decode(t, url+"/?"+query)["matching"]; got != want {
			t.Errorf("%q chooses %v questions, want %v", query, got, want)
		}
		if status, body, _ := get(t, url+"/?"+query, "text/html"); status != http.StatusOK || want == 0 && !strings.Contains(body, "None of 13 questions match") {
			t.Errorf("%q: status %d", query, status)
		}
	}
	for query, says := range map[string]string{
		"since=yesterday": "since=yesterday is no time", "first=x": "first=x is no number", "show=many": "show=many is no number",
	} {
		if status, body, _ := get(t, url+"/?"+query, "application/json"); status != http.StatusBadRequest || !strings.Contains(body, says) {
			t.Errorf("%q: status %d, %s", query, status, body)
		}
	}
}

func TestPages(t *testing.T) {
	url := start(t, &shelf{cut: many(1000)}, web.Options{}).URL
	for query, want := range map[string][2]float64{ // first, how many
		"": {940, 60}, "first=0": {0, 60}, "first=100&show=10": {100, 10}, "first=995": {995, 5}, "first=5000": {999, 1},
		"first=-3": {0, 60}, "show=100000": {850, 150},
	} {
		v := decode(t, url+"/?"+query)
		if got := [2]float64{v["first"].(float64), float64(len(v["questions"].([]any)))}; got != want {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	_, body, _ := get(t, url+"/?first=100&show=10", "text/html")
	for _, link := range []string{"/?first=90&amp;show=10", "/?first=110&amp;show=10", "/?first=990&amp;show=10", `class="overview"`} {
		if !strings.Contains(body, link) {
			t.Errorf("no %s", link)
		}
	}
}

// Of ten questions the first took 3700 ms, 3000 ms of it in the load, and the others 700 ms.
func TestComparedWithTheWarmMedian(t *testing.T) {
	v := decode(t, tenServed(t)+"/compare?a=warm&b=a/1")["comparison"].(map[string]any)
	if n := v["a"].(map[string]any)["questions"]; n != 9. {
		t.Errorf("the median of %v questions, want 9", n)
	}
	want := map[string][2]float64{"e2e": {700, 3700}, "inside": {600, 3600}, "llm.load": {0, 3000}, "llm.decode": {500, 500}, "embed": {100, 100}}
	for _, m := range v["metrics"].([]any) {
		m := m.(map[string]any)
		if w, ok := want[m["metric"].(string)]; ok {
			if got := [2]float64{m["a"].(float64), m["b"].(float64)}; got != w {
				t.Errorf("%s: %v, want %v", m["metric"], got, w)
			}
			delete(want, m["metric"].(string))
		}
	}
	if len(want) > 0 {
		t.Errorf("not compared: %v", want)
	}
	_, body, _ := get(t, tenServed(t)+"/compare?a=warm&b=a/1", "text/html")
	if says := "Question 1 of session a took 3000 ms more than the median of 9 other warm questions: &#43;3000 ms model load (inside the LLM)."; !strings.Contains(body, says) {
		t.Errorf("it does not say: %s", says)
	}
}

// Four warm questions take 700, 700, 800 and 9200 ms. The last one stands out and counts all the same: beside question 2 are
// 700, 800 and 9200 ms, and beside question 4 700, 700 and 800 ms.
func TestWarmMedianIsThatOfTheOthers(t *testing.T) {
	s := &shelf{}
	for i, decode := range []time.Duration{500 * ms, 500 * ms, 600 * ms, 9000 * ms} {
		s.add(script{session: "a", number: i + 1, at: time.Duration(i) * 20 * time.Second, decode: decode}.spans(i + 1)...)
	}
	url := start(t, s, web.Options{}).URL
	for name, want := range map[string]float64{"a/2": 800, "a/4": 700} {
		v := decode(t, url+"/compare?a=warm&b="+name)["comparison"].(map[string]any)
		for _, m := range v["metrics"].([]any) {
			if m := m.(map[string]any); m["metric"] == "e2e" && m["a"] != want {
				t.Errorf("compared with %s, the warm median is %v ms, want %v", name, m["a"], want)
			}
		}
		n := name[2] - '0'
		one := decode(t, url+"/q/"+traceID(int(n)).String()+"/"+name[2:])["warm"].(map[string]any)
		if one["questions"] != 3. || one["e2e_ms"] != want {
			t.Errorf("%s: its own view has %v, want %v ms of 3 questions", name, one, want)
		}
	}
}

// A session that was sent twice has each number twice: naming the session once more helps nobody.
func TestNamesOfDuplicatesAreTraces(t *testing.T) {
	s := &shelf{}
	for n := 1; n <= 2; n++ {
		s.add(script{session: "a", number: 1, at: time.Duration(n) * time.Minute}.spans(n)...)
	}
	url := start(t, s, web.Options{}).URL
	status, body, _ := get(t, url+"/compare?a=a/1", "text/html")
	for _, says := range []string{"a/1 is more than one question: name its trace, as in trace/number", traceID(1).String() + "/1", traceID(2).String() + "/1"} {
		if status != http.StatusNotFound || !strings.Contains(body, says) {
			t.Errorf("%d, and it does not say %q", status, says)
		}
	}
	if status, _, _ := get(t, url+"/compare?a="+traceID(1).String()+"/1&b="+traceID(2).String()+"/1", "text/html"); status != http.StatusOK {
		t.Errorf("by their traces they are compared with status %d", status)
	}
}

// Question 1 of session a stands out. The verdict on session b does not tell of it, and there is none on a session that there
// is not.
func TestTheVerdictIsOnTheChosenSession(t *testing.T) {
	s := &shelf{}
	for n := 1; n <= 10; n++ {
		session, load := "a", time.Duration(0)
		if n > 5 {
			session = "b"
		}
		if n == 1 {
			load = 3000 * ms
		}
		s.add(script{session: session, number: n, at: time.Duration(n) * 20 * time.Second, load: load}.spans(n)...)
	}
	url := start(t, s, web.Options{}).URL
	for query, want := range map[string]int{"": 1, "session=a": 1, "session=b": 0, "session=b&slow=1": 0, "session=nobody": 0} {
		slow, _ := decode(t, url+"/?"+query)["verdict"].(map[string]any)["slow"].([]any)
		if len(slow) != want {
			t.Errorf("%q: the verdict tells of %d questions, want %d", query, len(slow), want)
		}
	}
	_, body, _ := get(t, url+"/?session=nobody", "text/html")
	if !strings.Contains(body, "There is no session nobody") || strings.Contains(body, `aria-label="Verdict"`) {
		t.Error("it does not say that there is no session nobody, or has a verdict on it")
	}
	if _, body, _ := get(t, url+"/?session=b", "text/html"); strings.Contains(body, "3000 ms over") || !strings.Contains(body, `aria-label="Verdict"`) {
		t.Error("the page of session b tells of session a, or has no verdict")
	}
}

// How wide the chart is, only the browser knows, so that it is for it to cut the names of sessions. Two sessions of a question
// each have slots of 1, and 0.6 lies between them and belongs to the first.
// While a question is being answered its root has not come, and nobody knows when it began. Its session stays in its place,
// and a session that has nothing else goes last.
func TestAQuestionThatIsBeingAnsweredMovesNothing(t *testing.T) {
	s := &shelf{}
	s.add(script{session: "a", number: 1}.spans(1)...)
	s.add(script{session: "b", number: 1, at: 10 * time.Second}.spans(2)...)
	s.add(script{session: "b", number: 2, at: 20 * time.Second}.spans(3)[1:]...)
	s.add(script{session: "new", number: 1, at: 30 * time.Second}.spans(4)[1:]...)
	s.add(script{session: "c", number: 1, at: 40 * time.Second}.spans(5)...)
	var got []string
	for _, q := range decode(t, start(t, s, web.Options{}).URL)["questions"].([]any) {
		q := q.(map[string]any)
		got = append(got, fmt.Sprint(q["session"], "/", q["number"], " ", q["status"]))
	}
	want := []string{"a/1 ok", "b/1 ok", "b/2 incomplete", "c/1 ok", "new/1 incomplete"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What was asked last may stand in the middle, as sessions stay together.
func TestWhatWasAskedLastIsFound(t *testing.T) {
	s := &shelf{}
	s.add(script{session: "old", number: 1}.spans(1)...)
	for n := 2; n <= 71; n++ {
		s.add(script{session: fmt.Sprint("s", n), number: 1, at: time.Duration(n) * time.Minute}.spans(n)...)
	}
	s.add(script{session: "old", number: 2, at: 100 * time.Minute}.spans(72)...)
	url := start(t, s, web.Options{}).URL
	const link = `asked last: <a href="/?first=0"><bdi>Question 2 of session old</bdi></a>`
	for path, want := range map[string]bool{"/": true, "/?first=0": false, "/?first=1": false, "/?first=2": true, "/?session=s5": false, "/?session=none": false} {
		if _, body, _ := get(t, url+path, "text/html"); strings.Contains(body, link) != want {
			t.Errorf("%s: says what was asked last: %v, want %v", path, !want, want)
		}
	}
}

func TestNamesOfSessionsHaveTheirRoom(t *testing.T) {
	s := &shelf{}
	for i, session := range []string{"first-session", "second-session"} {
		s.add(script{session: session, number: 1, at: time.Duration(i) * time.Second}.spans(i + 1)...)
	}
	_, body, _ := get(t, start(t, s, web.Options{}).URL+"/", "text/html")
	for _, says := range []string{
		`<foreignObject x="0%" y="300" width="61.54%" height="20"><div class="sess"><bdi>first-session</bdi>`,
		`<foreignObject x="61.54%" y="300" width="38.46%" height="20"><div class="sess"><bdi>second-session</bdi>`,
	} {
		if !strings.Contains(body, says) {
			t.Errorf("it has no %s", says)
		}
	}
}

func TestWhatIsNotThereHelps(t *testing.T) {
	url := tenServed(t)
	for path, want := range map[string]struct {
		status int
		says   string
	}{
		"/compare?b=a/11":                                    {http.StatusNotFound, "Question 1 of session a"}, // one letter too many
		"/q/" + traceID(3).String()[:31] + "4/3":             {http.StatusNotFound, traceID(3).String()},
		"/q/zzz":                                             {http.StatusNotFound, "all questions"},
		"/q/" + traceID(3).String() + "/s/1":                 {http.StatusNotFound, "no trace or no span"},
		"/q/" + traceID(3).String() + "/s/ffffffffffffffff":  {http.StatusNotFound, "the question of that trace"},
		"/q/" + traceID(99).String() + "/s/ffffffffffffffff": {http.StatusNotFound, "are gone"},
		"/compare?a=warm&b=warm":                             {http.StatusBadRequest, "compare two questions"},
		"/compare?b=%3Cscript%3E":                            {http.StatusNotFound, "&lt;script&gt;"},
		"/static/x/secret":                                   {http.StatusNotFound, "no such file"},
		"/static/x/..%2fdoc.go":                              {http.StatusNotFound, "no such file"},
	} {
		if status, body, _ := get(t, url+path, "text/html"); status != want.status || !strings.Contains(body, want.says) {
			t.Errorf("%s: status %d, without %q:\n%s", path, status, want.says, body)
		}
	}
}

func TestATraceLeadsToItsQuestion(t *testing.T) {
	url := tenServed(t)
	for _, name := range []string{traceID(7).String(), strings.ToUpper(traceID(7).String()), traceID(7).String() + "/7"} {
		if v := decode(t, url+"/q/"+name); v["question"].(map[string]any)["number"] != 7. {
			t.Errorf("%s is question %v", name, v["question"])
		}
	}
}

func TestNothingYetTellsHowToBegin(t *testing.T) {
	url := start(t, &shelf{}, web.Options{}).URL
	for _, path := range []string{"/", "/compare", "/numbers"} {
		status, body, _ := get(t, url+path, "text/html")
		for _, says := range []string{"no question here yet", "ragtrace demo", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4317"} {
			if status != http.StatusOK || !strings.Contains(body, says) {
				t.Errorf("%s: status %d, without %q", path, status, says)
			}
		}
	}
	if v := decode(t, url); v["total"] != 0. {
		t.Errorf("total %v", v["total"])
	}
	url = start(t, &shelf{}, web.Options{Receiver: web.Receiver{GRPC: "127.0.0.1:5317", HTTP: "127.0.0.1:5318", DB: "/tmp/x.db"}}).URL
	_, body, _ := get(t, url+"/", "text/html")
	for _, says := range []string{"=http://127.0.0.1:5317<", "http://127.0.0.1:5318<", "ragtrace demo --db /tmp/x.db<", "import --db /tmp/x.db FILE<"} {
		if !strings.Contains(body, says) {
			t.Errorf("elsewhere: without %q", says)
		}
	}
}

func TestAQuestionWithoutARootShowsItsSpans(t *testing.T) {
	s := &shelf{}
	s.add(script{session: "a", number: 1}.spans(1)[1:]...)
	url := start(t, s, web.Options{}).URL
	_, body, _ := get(t, url+"/q/"+traceID(1).String()+"/1", "text/html")
	for _, says := range []string{"its root span never came", "chat m", "s/0000000000000003"} {
		if !strings.Contains(body, says) {
			t.Errorf("without %q", says)
		}
	}
}

// A microsecond between two phases belongs to the call on the critical path, and is too little to be seen.
func TestNoDotsOnTheCriticalPath(t *testing.T) {
	spans := script{session: "a", number: 1, load: time.Second}.spans(1)
	for i := range spans {
		if s := &spans[i]; s.Name == "llm.load" || s.Name == "llm.prefill" {
			s.End -= int64(time.Microsecond)
		}
	}
	s := &shelf{}
	s.add(spans...)
	url := start(t, s, web.Options{}).URL + "/q/" + traceID(1).String() + "/1"
	rows := make(map[string]int) // with pieces of the path
	for _, r := range decode(t, url)["rows"].([]any) {
		r := r.(map[string]any)
		path, _ := r["critical_path_ms"].([]any)
		rows[r["name"].(string)] = len(path)
	}
	want := map[string]int{"question": 0, "embed": 1, "chat m": 2, "llm.load": 1, "llm.prefill": 1, "llm.decode": 1}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
	_, body, _ := get(t, url, "text/html")
	if n := strings.Count(body, `<rect class="cp" x=`); n != 4 {
		t.Errorf("%d pieces are drawn, want those of embed and the three phases", n)
	}
}

// Only what can be compared is offered for it.
func TestAFailedQuestionIsNotOfferedForComparison(t *testing.T) {
	s := &shelf{}
	s.add(ten()...)
	failed := script{session: "a", number: 11, at: 200 * time.Second}.spans(11)
	failed[0].Status = model.StatusError
	s.add(failed...)
	url := start(t, s, web.Options{}).URL
	for n, want := range map[int]bool{2: true, 11: false} {
		_, body, _ := get(t, fmt.Sprintf("%s/q/%s/%d", url, traceID(n), n), "text/html")
		if strings.Contains(body, "compare with the warm median") != want {
			t.Errorf("question %d: offered %v, want %v", n, !want, want)
		}
	}
}

func TestAJaegerIsLinkedWhenThereIsOne(t *testing.T) {
	s := &shelf{}
	s.add(ten()...)
	path := "/q/" + traceID(1).String() + "/1"
	_, with, _ := get(t, start(t, s, web.Options{JaegerURL: "https://jaeger.example/ui"}).URL+path, "text/html")
	_, without, _ := get(t, start(t, s, web.Options{}).URL+path, "text/html")
	link := `href="https://jaeger.example/ui/trace/` + traceID(1).String() + `"`
	if !strings.Contains(with, link) || strings.Contains(without, "Jaeger") {
		t.Errorf("linked: %v; without a Jaeger: %v", strings.Contains(with, link), strings.Contains(without, "Jaeger"))
	}
}

// A foreign page may have its own name mean 127.0.0.1, and then read what this server says.
func TestNamesOfOtherHostsAreRefused(t *testing.T) {
	s := &shelf{}
	local, open := start(t, s, web.Options{Local: true}), start(t, s, web.Options{})
	for host, want := range map[string]int{
		"localhost:8077": 200, "LOCALHOST": 200, "127.0.0.1:8077": 200, "[::1]:8077": 200, "192.0.2.7": 200,
		"evil.example": 421, "localhost.evil.example:8077": 421, "127.0.0.1.evil.example": 421, "": 421,
	} {
		for url, want := range map[string]int{local.URL: want, open.URL: 200} {
			r, err := http.NewRequest(http.MethodGet, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			if host == "" {
				r.Host = "-"
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("host %q: %d, want %d", host, answer.StatusCode, want)
			}
		}
	}
}

func TestItOnlyReads(t *testing.T) {
	url := tenServed(t)
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		r, err := http.NewRequest(method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") == "" {
			t.Errorf("%s: %d", method, answer.StatusCode)
		}
	}
}

func TestASourceThatFailsIsTold(t *testing.T) {
	broken := errors.New("read store /tmp/x.db: disk I/O error")
	source := (&shelf{}).source()
	source.Questions = func(context.Context) ([]diagnose.Question, error) { return nil, broken }
	url := serve(t, source, web.Options{}).URL
	if status, body, _ := get(t, url, "text/html"); status != http.StatusInternalServerError || !strings.Contains(body, broken.Error()) {
		t.Errorf("status %d: %s", status, body)
	}
	if v := decode(t, url); v["error"] != broken.Error() {
		t.Errorf("JSON: %v", v)
	}
}
