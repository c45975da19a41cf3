package tracer

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

type answers map[string]string // by path

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(a[r.URL.Path])),
	}, nil
}

// TestKnownServers: once the program has asked a server about itself, its answers are read accordingly; another server's
// are not.
func TestKnownServers(t *testing.T) {
	rec := tracertest.New(t)
	rt := Transport(answers{
		"/api/version": `{"version":"0.34.0"}`,
		"/api/ps":      `{"models":[{"name":"m:latest","details":{"format":"safetensors"}}]}`,
		"/api/generate": `{"model":"m","response":"x","done":true,"done_reason":"length","total_duration":90000000,` +
			`"prompt_eval_count":6,"prompt_eval_duration":5000000,"eval_count":5,"eval_duration":60000000}`,
	}, WithTracerProvider(rec.TracerProvider()))
	ask := func(method, url, body string) {
		req, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	generate := func(host string) (perToken float64, version string) {
		rec.Reset()
		ask("POST", "http://"+host+"/api/generate", `{"model":"m","prompt":"p","stream":false}`)
		span := rec.Ended()[len(rec.Ended())-1]
		return tracertest.Value(span, attr.TimePerOutputToken).AsFloat64(), tracertest.Value(span, attr.ServerVersion).AsString()
	}
	if tpot, version := generate("a:1"); tpot != 0.015 || version != "" {
		t.Errorf("%v s, version %q before anybody asked; want 0.015 of 4 steps, and none", tpot, version)
	}
	ask("GET", "http://a:1/api/version", "")
	ask("GET", "http://a:1/api/ps", "")
	if tpot, version := generate("a:1"); tpot != 0.012 || version != "0.34.0" {
		t.Errorf("%v s, version %q; want 0.012 of 5 steps, and 0.34.0", tpot, version)
	}
	if tpot, version := generate("b:1"); tpot != 0.015 || version != "" {
		t.Errorf("another server: %v s, version %q", tpot, version)
	}
}

func TestKnownServersAreFew(t *testing.T) {
	var s servers
	for i := range 10 * maxServers {
		s.learn(fmt.Sprint(i), &stages.Server{Version: "1"})
	}
	if n := len(*s.known.Load()); n > maxServers {
		t.Errorf("%d servers remembered, want at most %d", n, maxServers)
	}
}
