package source_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 1, time.UTC)

func day() source.Query {
	return source.Query{Since: noon.Add(-12 * time.Hour), Until: noon.Add(12 * time.Hour)}
}

// readAll is the traces of a query as "trace: spans", by trace. The last of each counts.
func readAll(t *testing.T, j *source.Jaeger, q source.Query) (map[int]int, error) {
	t.Helper()
	got := map[int]int{}
	for spans, err := range j.Traces(t.Context(), q) {
		if err != nil {
			return got, err
		}
		got[number(spans[0].TraceID)] = len(spans)
	}
	return got, nil
}

func number(id model.TraceID) int { return int(id[13])<<16 | int(id[14])<<8 | int(id[15]) }

func TestTracesOfAllServices(t *testing.T) {
	fake := &fakeJaeger{spans: []fakeSpan{
		{1, 1, "app", noon}, {2, 4, "app", noon.Add(time.Minute)}, {1, 2, "ollama", noon.Add(time.Second)}, {3, 5, "ollama", noon},
	}}
	got, err := readAll(t, fake.start(t), day())
	if diff := cmp.Diff(map[int]int{1: 2, 2: 1, 3: 1}, got); diff != "" || err != nil {
		t.Errorf("traces (-want +got):\n%s, %v", diff, err)
	}
	fake.asked = nil
	q := day()
	q.Service = "app"
	got, err = readAll(t, fake.start(t), q)
	if diff := cmp.Diff(map[int]int{1: 2, 2: 1}, got); diff != "" || err != nil {
		t.Errorf("traces of app (-want +got):\n%s, %v", diff, err)
	}
	want := []string{"/base/api/v3/traces?query.num_traces=500&query.raw_traces=true&query.service_name=app" +
		"&query.start_time_max=2026-12-01T00%3A00%3A00.000000001Z&query.start_time_min=2026-11-30T00%3A00%3A00.000000001Z"}
	if diff := cmp.Diff(want, fake.asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// More questions than fit into an answer: none is lost, none comes twice.
func TestFullAnswersArePartedInTime(t *testing.T) {
	fake := &fakeJaeger{}
	for i := range 2000 {
		at := noon.Add(time.Duration(i) * 20 * time.Second)
		if i >= 1000 {
			at = noon.Add(time.Duration(i-1000) * 3 * time.Nanosecond * 1000) // a burst of 3 ms
		}
		fake.spans = append(fake.spans, fakeSpan{i + 1, 2*i + 1, "app", at}, fakeSpan{i + 1, 2*i + 2, "app", at.Add(time.Second)})
	}
	j := fake.start(t)
	n := 0
	seen := map[model.TraceID]bool{}
	for spans, err := range j.Traces(t.Context(), day()) {
		if err != nil {
			t.Fatal(err)
		}
		if len(spans) != 2 || seen[spans[0].TraceID] {
			t.Errorf("%d spans of trace %v, seen before: %v", len(spans), spans[0].TraceID, seen[spans[0].TraceID])
		}
		seen[spans[0].TraceID] = true
		n++
	}
	if n != 2000 {
		t.Errorf("%d traces, want 2000", n)
	}
	// From a day to a millisecond and back a window is halved and doubled 26 times each.
	if len(fake.asked) > 100 {
		t.Errorf("%d requests are too many", len(fake.asked))
	}
}

func TestDepthThatIsRefused(t *testing.T) {
	fake := &fakeJaeger{maxTraces: 100}
	for i := range 400 {
		fake.spans = append(fake.spans, fakeSpan{i + 1, i + 1, "app", noon.Add(time.Duration(i) * time.Second)})
	}
	got, err := readAll(t, fake.start(t), day())
	if len(got) != 400 || err != nil {
		t.Errorf("%d traces, %v, want 400", len(got), err)
	}
}

func TestTracesOfOneMoment(t *testing.T) {
	fake := &fakeJaeger{}
	for i := range 900 {
		fake.spans = append(fake.spans, fakeSpan{i + 1, i + 1, "app", noon})
	}
	got, err := readAll(t, fake.start(t), day())
	if len(got) != 900 || err != nil {
		t.Errorf("%d traces, %v, want 900", len(got), err)
	}
	fake.maxTraces = 600
	if _, err = readAll(t, fake.start(t), day()); err == nil || !strings.Contains(err.Error(), "than it gives out at once") {
		t.Errorf("error is %v, want that some are missing", err)
	}
}

// A trace of which any span is in time comes whole. Which questions are in time is not for the source to say.
func TestTracesComeWhole(t *testing.T) {
	q := source.Query{Since: noon, Until: noon.Add(time.Hour)}
	fake := &fakeJaeger{spans: []fakeSpan{
		{1, 1, "app", noon.Add(-time.Second)}, {1, 2, "app", noon.Add(time.Second)}, {1, 3, "ollama", noon.Add(2 * time.Hour)},
		{2, 4, "app", noon.Add(-time.Nanosecond)}, {2, 5, "app", noon.Add(time.Hour + time.Nanosecond)},
	}}
	got, err := readAll(t, fake.start(t), q)
	if diff := cmp.Diff(map[int]int{1: 3}, got); diff != "" || err != nil {
		t.Errorf("traces (-want +got):\n%s, %v", diff, err)
	}
}

// A trace that grows while it is read comes again, whole.
func TestATraceThatGrows(t *testing.T) {
	fake := &fakeJaeger{spans: []fakeSpan{{1, 1, "app", noon}, {1, 2, "ollama", noon}}}
	fake.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("query.service_name") == "ollama" {
			for i := range 1000 {
				fake.spans = append(fake.spans, fakeSpan{1, 3 + i, "app", noon.Add(time.Second)})
			}
		}
		return false
	}
	var sizes []int
	for spans, err := range fake.start(t).Traces(t.Context(), day()) {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(spans))
	}
	if diff := cmp.Diff([]int{2, 1002}, sizes); diff != "" {
		t.Error(diff)
	}
}

func TestTraceByID(t *testing.T) {
	fake := &fakeJaeger{spans: []fakeSpan{{1, 1, "app", noon}, {2, 2, "app", noon}, {1, 3, "ollama", noon}}}
	j := fake.start(t)
	spans, err := j.Trace(t.Context(), model.TraceID{15: 1})
	if err != nil || len(spans) != 2 || spans[1].Resource.Service() != "ollama" || spans[0].Start != noon.UnixNano() {
		t.Errorf("spans are %+v, %v", spans, err)
	}
	if last := fake.asked[len(fake.asked)-1]; !strings.HasSuffix(last, "?raw_traces=true") {
		t.Errorf("asked %s", last)
	}
	if spans, err := j.Trace(t.Context(), model.TraceID{15: 9}); spans != nil || err != nil {
		t.Errorf("of no trace there are %v, %v", spans, err)
	}
}

// Answers that are streamed are several objects, and their spans may come twice.
func TestSeveralObjectsInAnAnswer(t *testing.T) {
	one, two := fakeSpan{1, 1, "app", noon}.json(), fakeSpan{1, 2, "app", noon}.json()
	fake := &fakeJaeger{before: func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\"result\":{\"resourceSpans\":[%s]}}\n{\"result\":{\"resourceSpans\":[%[1]s,%s]}}\n", one, two)
		return true
	}}
	spans, err := fake.start(t).Trace(t.Context(), model.TraceID{15: 1})
	if len(spans) != 2 || err != nil {
		t.Errorf("spans are %+v, %v, want two", spans, err)
	}
}

// As Jaeger v2.13 gives back a span of no length.
func TestAnEndThatJaegerMovedIsMovedBack(t *testing.T) {
	const span = `{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001",
		"startTimeUnixNano":"1780388138821649138","endTimeUnixNano":"1780388138821649139","attributes":[{"key":"@jaeger@warnings","value":{"arrayValue":{"values":[%s]}}}]}]}]}]}}`
	const moved = `{"stringValue":"Negative duration detected, sanitizing end timestamp. Original end timestamp: %s, adjusted to: 2026-06-02 08:15:38.821649139 +0000 UTC"}`
	for name, c := range map[string]struct {
		warnings string
		end      int64
		attrs    int
	}{
		"no length":        {fmt.Sprintf(moved, "2026-06-02 08:15:38.821649138 +0000 UTC"), 1780388138821649138, 0},
		"never ended":      {fmt.Sprintf(moved, "1970-01-01 00:00:00 +0000 UTC"), 0, 0},
		"a far end":        {fmt.Sprintf(moved, "1969-12-31 23:59:59.999999999 +0000 UTC"), 0, 0},
		"another warning":  {`{"stringValue":"clock skew"}`, 1780388138821649139, 1},
		"no time":          {fmt.Sprintf(moved, "soon"), 1780388138821649139, 1},
		"several warnings": {fmt.Sprintf(moved, "1970-01-01 00:00:00 +0000 UTC") + `,{"stringValue":"more"}`, 1780388138821649139, 1},
	} {
		t.Run(name, func(t *testing.T) {
			fake := &fakeJaeger{before: func(w http.ResponseWriter, _ *http.Request) bool {
				fmt.Fprintf(w, span, c.warnings)
				return true
			}}
			spans, err := fake.start(t).Trace(t.Context(), model.TraceID{15: 1})
			if err != nil || len(spans) != 1 || spans[0].End != c.end || len(spans[0].Attrs) != c.attrs {
				t.Errorf("span is %+v, %v, want the end %d and %d attributes", spans, err, c.end, c.attrs)
			}
		})
	}
}

func TestSpansWithoutAnIDAreCounted(t *testing.T) {
	fake := &fakeJaeger{spans: []fakeSpan{{1, 1, "app", noon}, {1, 0, "app", noon}}}
	j := fake.start(t)
	got, err := readAll(t, j, day())
	if diff := cmp.Diff(map[int]int{1: 1}, got); diff != "" || err != nil || j.Refused() != 1 {
		t.Errorf("traces (-want +got):\n%s, %v, %d refused", diff, err, j.Refused())
	}
}

func TestFailures(t *testing.T) {
	answer := func(status int, contentType, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return true
		}
	}
	for name, c := range map[string]struct {
		before func(http.ResponseWriter, *http.Request) bool
		want   string // in the error
	}{
		"the page of a UI":   {answer(200, "text/html; charset=utf-8", "<!DOCTYPE html>"), "is not the query service of a Jaeger: it answers /base/api/v3/services with 200 OK"},
		"JSON called a page": {answer(200, "text/html", "{}"), "is not the query service of a Jaeger"},
		"another service":    {answer(404, "text/plain", "404 page not found"), "is not the query service of a Jaeger"},
		"a page not found":   {answer(404, "text/html", "<html>"), "is not the query service of a Jaeger"},
		"nothing":            {answer(200, "application/json", ""), "is not the query service of a Jaeger"},
		"another JSON":       {answer(200, "application/json", `{"total":0,"questions":[]}`), "is not the query service of a Jaeger: it answers /base/api/v3/services with JSON that lists no services"},
		"no list":            {answer(200, "application/json", `{"services":{"a":1}}`), "is not the query service of a Jaeger"},
		"not found, in JSON": {answer(404, "application/json", `{"error":"there is no such page"}`), "is not the query service of a Jaeger: it answers /base/api/v3/services with 404 Not Found"},
		"no name":            {answer(401, "text/plain", "who?"), "lets nobody in without a name (401 Unauthorized)"},
		"not this name":      {answer(403, "text/html", "<html>"), "lets nobody in without a name (403 Forbidden)"},
		"an error":           {answer(500, "text/plain", `{"error":{"httpCode":500,"message":"no connection to cassandra"}}`), "500 Internal Server Error: no connection to cassandra"},
		"an error by itself": {answer(502, "application/json", `{}`), "502 Bad Gateway"},
		"cut off":            {answer(200, "application/json", `{"services":["a`), "the answer to /base/api/v3/services: unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			j := (&fakeJaeger{before: c.before}).start(t)
			if _, err := readAll(t, j, day()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want ... %s ...", err, c.want)
			}
		})
	}
}

func TestJaegerWithoutServices(t *testing.T) {
	for _, body := range []string{`{}`, `{"services":[]}`, `{"services":null}`} {
		j := (&fakeJaeger{before: func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
			return true
		}}).start(t)
		if names, err := j.Services(t.Context()); len(names) > 0 || err != nil {
			t.Errorf("%s: services %v, %v, want none and no error", body, names, err)
		}
	}
}

func TestTraceOfWhatIsNoJaeger(t *testing.T) {
	j := (&fakeJaeger{before: func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"there is no such page"}`)
		return true
	}}).start(t)
	if _, err := j.Trace(t.Context(), model.TraceID{1}); err == nil || !strings.Contains(err.Error(), "is not the query service of a Jaeger") {
		t.Errorf("error is %v, want one that says it is no Jaeger", err)
	}
}

func TestFailuresWhileReadingTraces(t *testing.T) {
	for name, body := range map[string]string{
		"cut off":               `{"result":{"resourceSpans":[`,
		"an error in the place": `{"error":{"httpCode":500,"message":"unexpected EOF of the store"}}`,
		"no spans":              `{"result":{"resourceSpans":"none"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			fake := &fakeJaeger{spans: []fakeSpan{{1, 1, "app", noon}}}
			fake.before = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/traces") {
					return false
				}
				fmt.Fprint(w, body)
				return true
			}
			if got, err := readAll(t, fake.start(t), day()); err == nil || len(got) > 0 {
				t.Errorf("traces %v, error %v", got, err)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	j, err := source.NewJaeger("http://user:secret@" + address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Services(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "jaeger at http://user:xxxxx@"+address+" does not answer: ") || strings.Contains(err.Error(), "api") {
		t.Errorf("error is %v", err)
	}
}

func TestTheNameInTheAddressIsSent(t *testing.T) {
	var user, password string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ = r.BasicAuth()
		fmt.Fprint(w, "{}")
	}))
	defer server.Close()
	j, err := source.NewJaeger(strings.Replace(server.URL, "http://", "http://anna:pass@", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if names, err := j.Services(t.Context()); len(names) != 0 || err != nil || user != "anna" || password != "pass" {
		t.Errorf("services %v, %v, asked by %s:%s", names, err, user, password)
	}
}

func TestTracesCanBeLeftAndCancelled(t *testing.T) {
	fake := &fakeJaeger{spans: []fakeSpan{{1, 1, "app", noon}, {2, 2, "app", noon}, {3, 3, "other", noon}}}
	j := fake.start(t)
	for range j.Traces(t.Context(), day()) {
		break
	}
	if len(fake.asked) != 2 {
		t.Errorf("asked %v, want the services and the first of them", fake.asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for _, err := range j.Traces(ctx, day()) {
		if n++; err != context.Canceled {
			t.Errorf("error is %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d results, want one error", n)
	}
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"", "host:16686", "ftp://host", "http://", "jaeger", "http://a b"} {
		if j, err := source.NewJaeger(bad); err == nil {
			t.Errorf("%q is taken for %s", bad, j)
		}
	}
}
