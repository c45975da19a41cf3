package fakeserver

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A client asks one server over connections in memory.
type client struct {
	t    *testing.T
	http *http.Client
}

// serve starts h and returns its client. Inside a synctest bubble everything ends with the bubble.
func serve(t *testing.T, h http.Handler) *client {
	t.Helper()
	listener, dial := Listen()
	server := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() { defer close(done); server.Serve(listener) }()
	transport := &http.Transport{DialContext: dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		<-done
	})
	return &client{t, &http.Client{Transport: transport}}
}

// A reply is a whole answer with the times of its lines, from the request's start.
type reply struct {
	status int
	header http.Header
	body   string
	reads  []time.Duration // one for each read that got something
	end    time.Duration
	err    error // of reading the body
}

func (c *client) post(path, body string) reply { return c.do("POST", path, body) }

func (c *client) do(method, path, body string) reply {
	c.t.Helper()
	start := time.Now()
	req, err := http.NewRequestWithContext(c.t.Context(), method, "http://server"+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return reply{err: err, end: time.Since(start)}
	}
	defer resp.Body.Close()
	r := reply{status: resp.StatusCode, header: resp.Header}
	var text strings.Builder
	buf := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			text.Write(buf[:n])
			r.reads = append(r.reads, time.Since(start))
		}
		if err != nil {
			if err != io.EOF {
				r.err = err
			}
			break
		}
	}
	r.body, r.end = text.String(), time.Since(start)
	return r
}

// A line is what an Ollama says in one line, in one of its two shapes.
type line struct {
	Model    string
	Message  struct{ Content, Thinking string }
	Response string
	Done     bool
	Reason   string    `json:"done_reason"`
	Created  time.Time `json:"created_at"`
	Context  []int
	Total    time.Duration `json:"total_duration"`
	Load     time.Duration `json:"load_duration"`
	Prompt   int           `json:"prompt_eval_count"`
	Prefill  time.Duration `json:"prompt_eval_duration"`
	Eval     int           `json:"eval_count"`
	Decode   time.Duration `json:"eval_duration"`
	Error    string
}

// lines reads an NDJSON body, or one JSON.
func (r reply) lines(t *testing.T) []line {
	t.Helper()
	if r.err != nil || r.status != http.StatusOK {
		t.Fatalf("status %d, error %v, body %q", r.status, r.err, r.body)
	}
	var out []line
	for s := range strings.Lines(r.body) {
		var l line
		if err := json.Unmarshal([]byte(s), &l); err != nil {
			t.Fatalf("line %q: %v", s, err)
		}
		out = append(out, l)
	}
	if len(out) == 0 {
		t.Fatal("no line")
	}
	return out
}

// last is the last of the lines.
func (r reply) last(t *testing.T) line {
	t.Helper()
	lines := r.lines(t)
	return lines[len(lines)-1]
}
