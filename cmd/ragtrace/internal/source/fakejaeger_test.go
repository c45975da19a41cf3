package source_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
)

// A fakeSpan is all that the searches here depend on. Times are seconds, to the nanosecond.
type fakeSpan struct {
	trace, id int
	service   string
	start     time.Time
}

func (s fakeSpan) json() string {
	return fmt.Sprintf(`{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":%q}}]},"scopeSpans":[{"spans":[`+
		`{"traceId":"%032x","spanId":"%016x","name":"s","startTimeUnixNano":"%d"}]}]}`, s.service, s.trace, s.id, s.start.UnixNano())
}

// A fakeJaeger answers /api/v3 as Jaeger v2.13 does with its memory store.
type fakeJaeger struct {
	spans     []fakeSpan
	maxTraces int // the most that may be asked for; 0 for any number
	asked     []string

	// before, when set, may answer a request instead.
	before func(http.ResponseWriter, *http.Request) bool
}

func (f *fakeJaeger) start(t *testing.T) *source.Jaeger {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	j, err := source.NewJaeger(server.URL + "/base")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	return j
}

func (f *fakeJaeger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.asked = append(f.asked, r.URL.RequestURI())
	if f.before != nil && f.before(w, r) {
		return
	}
	query := r.URL.Query()
	switch path := r.URL.Path; {
	case path == "/base/api/v3/services":
		var names []string
		for _, s := range f.spans {
			names = append(names, strconv.Quote(s.service))
		}
		slices.Sort(names)
		fmt.Fprintf(w, `{"services":[%s]}`, strings.Join(slices.Compact(names), ","))
	case path == "/base/api/v3/traces":
		depth, _ := strconv.Atoi(query.Get("query.num_traces"))
		if depth < 1 || f.maxTraces > 0 && depth > f.maxTraces {
			http.Error(w, `{"error":{"httpCode":500,"message":"search depth must be greater than 0 and less than max traces"}}`, http.StatusInternalServerError)
			return
		}
		from, err1 := time.Parse(time.RFC3339Nano, query.Get("query.start_time_min"))
		to, err2 := time.Parse(time.RFC3339Nano, query.Get("query.start_time_max"))
		if err1 != nil || err2 != nil {
			http.Error(w, `{"error":{"httpCode":400,"message":"malformed parameter"}}`, http.StatusBadRequest)
			return
		}
		f.answer(w, depth, func(s fakeSpan) bool {
			return s.service == query.Get("query.service_name") && !s.start.Before(from) && !s.start.After(to)
		})
	case strings.HasPrefix(path, "/base/api/v3/traces/"):
		f.answer(w, 1, func(s fakeSpan) bool { return strings.HasSuffix(path, fmt.Sprintf("/%032x", s.trace)) })
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!DOCTYPE html>\n<html></html>")
	}
}

// answer writes the newest traces that have a span that matches, each whole.
func (f *fakeJaeger) answer(w http.ResponseWriter, depth int, matches func(fakeSpan) bool) {
	var traces []int
	newestFirst := slices.SortedFunc(slices.Values(f.spans), func(a, b fakeSpan) int { return cmp.Or(b.start.Compare(a.start), a.id-b.id) })
	for _, s := range newestFirst {
		if matches(s) && !slices.Contains(traces, s.trace) && len(traces) < depth {
			traces = append(traces, s.trace)
		}
	}
	if len(traces) == 0 {
		http.Error(w, `{"error":{"httpCode":404,"message":"No traces found"}}`, http.StatusNotFound)
		return
	}
	// The spans of the traces are mixed, since nobody promises anything else.
	var spans []string
	for _, s := range f.spans {
		if slices.Contains(traces, s.trace) {
			spans = append(spans, s.json())
		}
	}
	fmt.Fprintf(w, `{"result":{"resourceSpans":[%s]}}`, strings.Join(spans, ",")) // as text/plain
}
