package recording

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recognise"
)

// TestServed serves the shorter cases by a real server in real time, over HTTP/1.1, HTTP/2 and HTTP/2 without TLS, to a
// real client. Whatever the machine's load, all that is not a time is exact, and no time is earlier than it was sent.
func TestServed(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2", "h2c"} {
		t.Run(protocol, func(t *testing.T) {
			for name, rec := range exchanges(t) {
				if rec.endAt() > 250 || !strings.HasPrefix(name, "case") {
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					server := httptest.NewUnstartedServer(serving(rec))
					client := connect(server, protocol)
					defer server.Close()
					defer client.CloseIdleConnections()
					checkServed(t, rec, observed(t, rec, client, server.URL))
				})
			}
		})
	}
}

// serving answers with the recording, each write at its time or later.
func serving(rec *Recording) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		_, _ = io.Copy(io.Discard, r.Body)
		for k, v := range rec.Response.Headers {
			w.Header().Set(k, v)
		}
		w.WriteHeader(*rec.Response.Status)
		for i := range rec.Response.Writes {
			write := &rec.Response.Writes[i]
			time.Sleep(time.Until(start.Add(write.At.Duration())))
			_, _ = w.Write(write.bytes())
			_ = http.NewResponseController(w).Flush()
		}
		if rec.ClientClosed != nil {
			<-r.Context().Done()
		}
	})
}

// connect starts the server and returns a client that speaks the protocol to it.
func connect(server *httptest.Server, protocol string) *http.Client {
	var protocols http.Protocols
	transport := &http.Transport{DisableCompression: true, Protocols: &protocols}
	switch protocol {
	case "HTTP/2":
		server.EnableHTTP2 = true
		server.StartTLS()
		transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		protocols.SetHTTP2(true)
	case "h2c":
		protocols.SetUnencryptedHTTP2(true)
		server.Config.Protocols = &protocols
		server.Start()
	default:
		protocols.SetHTTP1(true)
		server.Start()
	}
	return &http.Client{Transport: transport}
}

// observed makes the call and shows all of it to an observer.
func observed(t *testing.T, rec *Recording, client *http.Client, url string) *stages.Facts {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, rec.request().Method, url+rec.RequestPath, strings.NewReader(rec.RequestBody))
	if err != nil {
		t.Fatal(err)
	}
	o := recognise.New(stages.Request{Method: req.Method, URL: req.URL, Header: req.Header})
	o.RequestBody([]byte(rec.RequestBody))
	start := time.Now()
	left := -1 // bytes after which the client leaves
	if rec.ClientClosed != nil {
		left = rec.size()
	}
	resp, err := client.Do(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { o.GotConn(time.Since(start)) },
		WroteHeaders: func() { o.WroteHeaders(time.Since(start)) },
		WroteRequest: func(httptrace.WroteRequestInfo) { o.WroteRequest(time.Since(start)) },
	})))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	o.Response(time.Since(start), resp.StatusCode, resp.Header)
	for buf := make([]byte, 32<<10); ; {
		n, err := resp.Body.Read(buf)
		o.ResponseBody(time.Since(start), buf[:n])
		if left -= n; left == 0 {
			time.Sleep(time.Until(start.Add(rec.ClientClosed.Duration())))
			cancel()
		}
		if err == nil {
			continue
		}
		how := stages.EndedError
		switch {
		case err == io.EOF:
			how, err = stages.EndedEOF, nil
		case errors.Is(err, context.Canceled):
			how = stages.EndedClosed
		}
		o.End(time.Since(start), how, err)
		return o.Facts()
	}
}

// size is the length of the answer's body.
func (r *Recording) size() (n int) {
	for i := range r.Response.Writes {
		n += len(r.Response.Writes[i].bytes())
	}
	return n
}

func checkServed(t *testing.T, rec *Recording, f *stages.Facts) {
	t.Helper()
	want, got := asMap(t, NewResult(rec.Replay())), asMap(t, NewResult(f))
	for _, key := range []string{
		"api", "stage", "model", "status", "error", "done_reason", "output_tokens", "token_count_source", "events_with_tokens",
		"itl_gaps", "prompt_tokens", "cached_tokens", "tpot_server_ms", "itl_server_p50_ms", "server_metrics", "per_text_mean",
		"op", "hits", "async", "total_ms",
	} {
		if diff := cmp.Diff(want[key], got[key]); diff != "" {
			t.Errorf("%s (-replayed +served):\n%s", key, diff)
		}
	}
	for _, key := range []string{"ttft_ms", "ttfa_ms", "e2e_ms"} {
		if late, known := got[key].(float64); known != (want[key] != nil) || known && late < want[key].(float64) {
			t.Errorf("%s is %v, want %v or a little more", key, got[key], want[key])
		}
	}
	var before time.Duration
	for _, p := range f.Phases() {
		if p.Start < before || p.End > f.Marks.End.D {
			t.Errorf("%s from %v to %v, after %v", p.Name, p.Start, p.End, before)
		}
		before = p.End
	}
}
