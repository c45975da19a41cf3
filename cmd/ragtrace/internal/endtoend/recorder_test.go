//go:build unix

package endtoend

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// A recorder stands between a program and Ollama, passes bytes on at once, and keeps the answers: what the server said,
// seen by nothing of ours.
type recorder struct {
	url string

	mu      sync.Mutex
	answers map[string][]*bytes.Buffer // by path, in the order of the requests
}

// figures are the fields of Ollama's last line or only object, in nanoseconds.
type figures struct {
	Done       bool  `json:"done"`
	Total      int64 `json:"total_duration"`
	Load       int64 `json:"load_duration"`
	PromptEval int64 `json:"prompt_eval_duration"`
	Eval       int64 `json:"eval_duration"`
	EvalCount  int64 `json:"eval_count"`
}

func startRecorder(t *testing.T, ollama string) *recorder {
	t.Helper()
	target, err := url.Parse(ollama)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{answers: make(map[string][]*bytes.Buffer)}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(p *httputil.ProxyRequest) { p.SetURL(target) },
		FlushInterval: -1,
		Transport:     &http.Transport{DisableCompression: true},
		ModifyResponse: func(resp *http.Response) error {
			kept := &bytes.Buffer{}
			r.mu.Lock()
			defer r.mu.Unlock()
			path := resp.Request.URL.Path
			r.answers[path] = append(r.answers[path], kept)
			body := resp.Body
			resp.Body = struct {
				io.Reader
				io.Closer
			}{io.TeeReader(body, kept), body}
			return nil
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else the server reads the request to its end before it answers, and breaks off an answer that is quicker than that.
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// figures are what the answers to path ended with. All of them have ended.
func (r *recorder) figures(t *testing.T, path string) []figures {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []figures
	for _, answer := range r.answers[path] {
		lines := bytes.Split(bytes.TrimSpace(answer.Bytes()), []byte("\n"))
		last := lines[len(lines)-1]
		var f figures
		if err := json.Unmarshal(last, &f); err != nil {
			t.Fatalf("the last line of an answer to %s: %v\n%s", path, err, last)
		}
		all = append(all, f)
	}
	return all
}
