package cli

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// verdictCase is a file of questions, of which the first loads the model.
const verdictCase = "../diagnose/testdata/verdict/01-llm-cold-load-seed1.otlp.json.gz"

// startFakeJaeger answers every search with the traces of verdictCase, whatever was asked for.
func startFakeJaeger(t *testing.T) (url string, asked *[]string) {
	t.Helper()
	f, err := os.Open(verdictCase)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	traces, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	asked = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path+" "+r.URL.Query().Get("query.service_name"))
		switch path := r.URL.Path; {
		case strings.HasSuffix(path, "/services"):
			io.WriteString(w, `{"services":["ragapp","ollama"]}`)
		case strings.HasSuffix(path, "/0000000000000000000000000000abcd"):
			http.Error(w, `{"error":{"httpCode":404,"message":"No traces found"}}`, http.StatusNotFound)
		default:
			fmt.Fprintf(w, `{"result":%s}`, traces)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func TestCommandsReadJaeger(t *testing.T) {
	url, asked := startFakeJaeger(t)
	for _, args := range [][]string{
		{"slow", "--json"}, {"slow"}, {"show", "slowest"}, {"stats", "--json"}, {"compare", "1", "2"}, {"check", "p95(e2e) < 1h"},
		{"slow", "--json", "--since", "2026-06-02T08:00:00Z", "--until", "2026-06-04T00:00:00Z"},
	} {
		want, _ := run(t, exitOK, append(args, "--from", verdictCase)...)
		got, _ := run(t, exitOK, append(args, "--from", "jaeger="+url)...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-file +jaeger):\n%s", args, diff)
		}
	}
	*asked = nil
	_, _ = run(t, exitFailed, "slow", "--service", "other", "--from", "jaeger="+url)
	if diff := cmp.Diff([]string{"/api/v3/traces other"}, *asked); diff != "" {
		t.Errorf("with --service (-want +got):\n%s", diff)
	}
}

func TestShowAsksJaegerForOneTrace(t *testing.T) {
	url, asked := startFakeJaeger(t)
	listed, _ := run(t, exitOK, "slow", "--json", "--from", verdictCase)
	_, id, _ := strings.Cut(listed, `"trace_id": "`)
	id = id[:32]
	out, _ := run(t, exitOK, "show", strings.ToUpper(id), "--from", "jaeger="+url)
	if !strings.Contains(out, "llm.load") {
		t.Errorf("shown is\n%s", out)
	}
	if diff := cmp.Diff([]string{"/api/v3/traces/" + id + " "}, *asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	_, errs := run(t, exitFailed, "show", "0000000000000000000000000000abcd", "--from", "jaeger="+url)
	if want := "ragtrace show: jaeger at " + url + " has no trace 0000000000000000000000000000abcd\n"; errs != want {
		t.Errorf("error is %q, want %q", errs, want)
	}
}

func TestJaegerWithoutQuestions(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "{}") }))
	defer server.Close()
	out, errs := run(t, exitOK, "slow", "--from", "jaeger="+server.URL)
	if !strings.Contains(out, "There is no question.\n\nA trace counts as a question when") || !strings.HasPrefix(errs, "warning: none of the 0 traces that jaeger at "+server.URL+" has from ") {
		t.Errorf("said %q and warned %q", out, errs)
	}
	if _, errs := run(t, exitUsage, "slow", "--from", "jaeger=localhost:16686"); !strings.Contains(errs, "is not the address of a Jaeger, such as http://127.0.0.1:16686") {
		t.Errorf("error is %q", errs)
	}
}

// A question without a number has its place among those that were read, which are not all that there are.
func TestJaegerTellsAmongWhatQuestionsAreCounted(t *testing.T) {
	for number, warns := range map[int]bool{0: true, 3: false} {
		traces := otlpJSON(asking{session: "a", number: number, decode: time.Second})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/services") {
				io.WriteString(w, `{"services":["app"]}`)
				return
			}
			fmt.Fprintf(w, `{"result":%s}`, traces)
		}))
		defer server.Close()
		_, errs := run(t, exitOK, "slow", "--from", "jaeger="+server.URL)
		if got := strings.Contains(errs, "warning: questions without a number of their own are counted among those that were read, from "); got != warns {
			t.Errorf("number %d: warned %q", number, errs)
		}
	}
}
