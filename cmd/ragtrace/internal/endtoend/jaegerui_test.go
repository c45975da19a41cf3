//go:build unix

package endtoend

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
)

// A pair is a Jaeger and a ragtrace serve as compose runs them: spans go to Jaeger, which passes them on, and the pages of both
// link to each other.
type pair struct {
	jaeger, page string // base URLs
	otlp         string // host:port of Jaeger's receiver
}

func startPair(t *testing.T) pair {
	path := binary(t, "RAGTRACE_TEST_JAEGER")
	p := freePorts(t, 6)
	address := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", p+i) }
	both := pair{"http://" + address(0), "http://" + address(3), address(2)}
	start(t, answers(both.page+"/readyz", http.StatusOK), nil, build(t, "./cmd/ragtrace"), "serve",
		"--db", filepath.Join(t.TempDir(), "traces.db"), "--http", address(3), "--otlp-grpc", address(4), "--otlp-http", address(5),
		"--jaeger-thrift", "", "--jaeger-ui", both.jaeger)
	compose := absolute(t, "../../../../compose")
	start(t, answers(both.jaeger+"/api/v3/services", http.StatusOK), []string{
		"OTEL_TRACES_SAMPLER=always_off", // it would trace itself, and wait for a collector at its end
		"JAEGER_UI=" + filepath.Join(compose, "jaeger-ui.json"),
		"JAEGER_HTTP=" + address(0), "JAEGER_GRPC=" + address(1), "OTLP_GRPC=" + address(2), "RAGTRACE_OTLP=" + address(4),
	}, path, "--config", filepath.Join(compose, "jaeger.yaml"))
	return both
}

// fetch is the body of what a URL answers, and its kind. Redirects are followed.
func fetch(t *testing.T, url, accept string) (body []byte, kind string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s, %v: %.300s", url, resp.Status, err, body)
	}
	return body, resp.Header.Get("Content-Type")
}

func fetchJSON(t *testing.T, url string, into any) {
	t.Helper()
	body, kind := fetch(t, url, "application/json")
	if strings.HasPrefix(kind, "text/html") { // how Jaeger answers paths that it does not know
		t.Fatalf("%s is answered with a page", url)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v: %.300s", url, err, body)
	}
}

// search is what Jaeger's page finds for tags: the traces' spans by trace.
func (p pair) search(t *testing.T, service string, since time.Time, tags map[string]string) map[string][]uiSpan {
	t.Helper()
	asked, err := json.Marshal(tags)
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Data []struct {
			TraceID string `json:"traceID"`
			Spans   []uiSpan
		}
	}
	fetchJSON(t, p.jaeger+"/api/traces?"+url.Values{
		"service": {service}, "tags": {string(asked)}, "limit": {"100"},
		"start": {fmt.Sprint(since.UnixMicro())}, "end": {fmt.Sprint(time.Now().Add(time.Minute).UnixMicro())},
	}.Encode(), &found)
	traces := make(map[string][]uiSpan)
	for _, d := range found.Data {
		traces[d.TraceID] = d.Spans
	}
	return traces
}

// shown are the questions on the page that a URL leads to.
func (p pair) shown(t *testing.T, url string) (names []string) {
	t.Helper()
	var v struct {
		Questions []shownQuestion
		Question  *shownQuestion
	}
	fetchJSON(t, url, &v)
	if v.Question != nil {
		v.Questions = append(v.Questions, *v.Question)
	}
	for _, q := range v.Questions {
		names = append(names, q.String())
	}
	return names
}

type shownQuestion struct {
	TraceID string `json:"trace_id"`
	Session string
	Number  int
}

func (q shownQuestion) String() string {
	return fmt.Sprintf("%s question %d in %s", q.Session, q.Number, q.TraceID)
}

// Questions of two sessions, whose names are not easy to put into a URL, look right in Jaeger, and lead from there to our page
// and back.
func TestQuestionsInJaeger(t *testing.T) {
	both := startPair(t)
	ollama := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{Models: []fakeserver.Model{
		{Name: "chatter", Load: 80 * time.Millisecond, Prefill: 20 * time.Millisecond, TokenTime: 4 * time.Millisecond},
		{Name: "embedder", Kind: fakeserver.Embed, Load: 50 * time.Millisecond, Prefill: 5 * time.Millisecond},
	}}))
	defer ollama.Close()
	since := time.Now().Add(-time.Second)
	a := startRAG(t, ollama.URL, both.otlp, "asker")
	sessions := []string{"anna & co/1", "ben=#2?"}
	const each = 3
	for range each {
		for _, session := range sessions {
			if err := a.ask(t.Context(), session, question{Text: "why?"}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	a.stop(t)

	traces := make(map[shownQuestion][]uiSpan)
	t.Run("a search for session and number finds the question", func(t *testing.T) {
		for _, session := range sessions {
			for number := 1; number <= each; number++ {
				found := both.search(t, "asker", since, map[string]string{"session.id": session, "ragtrace.question.number": fmt.Sprint(number)})
				if len(found) != 1 {
					t.Fatalf("%d traces are question %d of %s, want 1", len(found), number, session)
				}
				for id, spans := range found {
					traces[shownQuestion{id, session, number}] = spans
					for _, s := range spans {
						if s.tag("session.id") != session || s.tag("ragtrace.question.number") != float64(number) {
							t.Errorf("%s is of question %v of %v", s.Name, s.tag("ragtrace.question.number"), s.tag("session.id"))
						}
					}
				}
			}
		}
		if found := both.search(t, "asker", since, map[string]string{"session.id": sessions[0], "ragtrace.question.number": "4"}); len(found) != 0 {
			t.Errorf("%d traces are the fourth of three questions", len(found))
		}
	})
	if t.Failed() {
		return
	}

	t.Run("the critical path has every phase", func(t *testing.T) {
		for q, spans := range traces {
			path := criticalPath(spans)
			on := make(map[string]bool)
			for _, s := range spans {
				stage, _ := s.tag("ragtrace.stage").(string)
				if !strings.HasPrefix(stage, "llm.") && stage != "embed.load" {
					continue
				}
				on[stage] = slices.Contains(path, section{s.Name, s.Start, s.end()})
				if !on[stage] {
					t.Errorf("%v: %s from %d to %d is not on the path as a whole: %v", q, s.Name, s.Start, s.end(), path)
				}
			}
			for _, stage := range []string{"embed.load", "llm.load", "llm.prefill", "llm.decode"} {
				if !on[stage] {
					t.Errorf("%v: %s is not on the path", q, stage)
				}
			}
			sum := int64(0)
			for _, s := range path {
				sum += s.To - s.From
			}
			if root := spans[slices.IndexFunc(spans, func(s uiSpan) bool { return s.parent() == "" })]; sum != root.Duration {
				t.Errorf("%v: the path is %d µs long, the question %d", q, sum, root.Duration)
			}
		}
	})

	t.Run("names, kinds and icons", func(t *testing.T) {
		type look struct{ Name, Kind, Peer, Operation any }
		want := map[string]look{
			"question": {"question", "server", nil, "invoke_workflow"},
			"embed":    {"embeddings embedder", "client", "ollama", "embeddings"},
			"llm":      {"chat chatter", "client", "ollama", "chat"},
		}
		for q, spans := range traces {
			for _, s := range spans {
				stage, _ := s.tag("ragtrace.stage").(string)
				if w, ok := want[stage]; ok {
					got := look{s.Name, s.tag("span.kind"), s.tag("peer.service"), s.tag("gen_ai.operation.name")}
					if diff := cmp.Diff(w, got); diff != "" {
						t.Errorf("%v: stage %s (-want +got):\n%s", q, stage, diff)
					}
				}
				if strings.Contains(stage, ".") { // a phase, on which Jaeger would draw the icon of a call
					for _, tag := range s.Tags {
						if strings.HasPrefix(tag.Key, "gen_ai.") {
							t.Errorf("%v: the phase %s has %s", q, s.Name, tag.Key)
						}
					}
				}
			}
		}
	})

	t.Run("each page links to the other", func(t *testing.T) { both.links(t, traces) })
}

// links follows what Jaeger's page makes of its configuration, and the way back.
func (p pair) links(t *testing.T, traces map[shownQuestion][]uiSpan) {
	// Jaeger passes questions on when it can.
	deadline := time.Now().Add(20 * time.Second)
	for len(p.shown(t, p.page+"/?show=150")) < len(traces) {
		if time.Now().After(deadline) {
			t.Fatalf("the page shows %v, %d questions went to Jaeger", p.shown(t, p.page+"/?show=150"), len(traces))
		}
		time.Sleep(100 * time.Millisecond)
	}
	index, _ := fetch(t, p.jaeger+"/search", "text/html")
	m := regexp.MustCompile(`JAEGER_CONFIG = (\{.*\});`).FindSubmatch(index)
	if m == nil {
		t.Fatalf("Jaeger's page has no configuration: %s", index)
	}
	var config struct {
		LinkPatterns []struct {
			Type           any
			Key, URL, Text string
		}
	}
	if err := json.Unmarshal(m[1], &config); err != nil {
		t.Fatal(err)
	}
	names := func(is func(shownQuestion) bool) (names []string) {
		for q := range traces {
			if is(q) {
				names = append(names, q.String())
			}
		}
		slices.Sort(names)
		return names
	}
	for q, spans := range traces {
		one := names(func(other shownQuestion) bool { return other == q })
		want := map[string][]string{"": one, "ragtrace.question.number": one, "session.id": names(func(other shownQuestion) bool { return other.Session == q.Session })}
		for _, pattern := range config.LinkPatterns {
			text := regexp.MustCompile(`#\{([^}]+)\}`).ReplaceAllStringFunc(pattern.URL, func(name string) string {
				name = name[2 : len(name)-1]
				value := fmt.Sprint(spans[0].tag(name))
				if pattern.Type == "traces" && name == "traceID" || pattern.Type != "traces" && name == "trace.traceID" {
					value = q.TraceID
				}
				return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") // as encodeURIComponent
			})
			path, ok := strings.CutPrefix(text, "http://127.0.0.1:8077")
			if !ok {
				t.Fatalf("Jaeger links to %s", text)
			}
			got := p.shown(t, p.page+path)
			slices.Sort(got)
			if diff := cmp.Diff(want[pattern.Key], got); diff != "" {
				t.Errorf("%s, of the key %q, shows (-want +got):\n%s", text, pattern.Key, diff)
			}
			delete(want, pattern.Key)
		}
		if len(want) > 0 {
			t.Errorf("nothing links to %v", want)
		}
		page, _ := fetch(t, p.page+"/q/"+q.TraceID, "text/html")
		if back := `href="` + p.jaeger + "/trace/" + q.TraceID + `"`; !strings.Contains(string(page), back) {
			t.Errorf("the page of %v has no %s", q, back)
		}
		var trace struct{ Data []struct{ Spans []uiSpan } }
		fetchJSON(t, p.jaeger+"/api/traces/"+q.TraceID, &trace)
		if len(trace.Data) != 1 || len(trace.Data[0].Spans) != len(spans) {
			t.Errorf("Jaeger has %d traces of that id", len(trace.Data))
		}
	}
}
