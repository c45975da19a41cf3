package recording

import (
	"context"
	"errors"
	"io"
	"math"
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

// TestServed serves the shorter cases by a real server in real time, over HTTP/1.1, HTTP/2 and HTTP/2 without TLS, plain and
// compressed, to a real client. Whatever the machine's load, all that is not a time is exact, and no time is earlier than
// it was sent. On a machine that keeps time itself, each time is within 3 ms in one of four attempts.
func TestServed(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2", "h2c"} {
		for _, encoding := range []string{"identity", "gzip"} {
			t.Run(protocol+" "+encoding, func(t *testing.T) {
				for name, rec := range exchanges(t) {
					if rec.endAt() > 1000 || !strings.HasPrefix(name, "case") {
						continue
					}
					if encoding == "gzip" {
						if rec.Response.Headers["content-encoding"] != "" {
							continue
						}
						rec = packed(t, rec)
					}
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						serveOnTime(t, rec, protocol)
					})
				}
			})
		}
	}
}

// serveOnTime serves a recording until each of its times was right once.
func serveOnTime(t *testing.T, rec *Recording, protocol string) {
	begun := make(chan time.Time, 1)
	server := httptest.NewUnstartedServer(serving(rec, begun))
	client := connect(server, protocol)
	defer server.Close()
	defer client.CloseIdleConnections()
	late := make(map[string]float64) // by figure, the best attempt in ms
	const attempts, busy = 4, 8
	for fair, all := 0, 0; fair < attempts; all++ {
		if all == busy {
			t.Skipf("this machine does not keep time now; figures were off by %v ms", late)
		}
		lateness := watchClock()
		for key, ms := range checkServed(t, rec, observed(t, rec, client, server.URL, begun)) {
			if best, ok := late[key]; !ok || ms < best {
				late[key] = ms
			}
		}
		if lateness() < time.Millisecond {
			fair++
		}
		if onTime(late) || t.Failed() {
			return
		}
	}
	t.Errorf("times are off by %v ms, want at most %v", late, tolerance)
}

// tolerance is how far off a figure may be, in ms.
const tolerance = 3

func onTime(late map[string]float64) bool {
	for _, ms := range late {
		if ms > tolerance && !raceEnabled { // the race detector delays
			return false
		}
	}
	return true
}

// watchClock watches how late timers fire until the result is called, which is how late the latest was.
func watchClock() func() time.Duration {
	stop, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		var late time.Duration
		for {
			select {
			case <-stop:
				worst <- late
				return
			default:
			}
			const nap = 500 * time.Microsecond
			before := time.Now()
			time.Sleep(nap)
			late = max(late, time.Since(before)-nap)
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-worst
	}
}

// serving answers with the recording, each write at its time after begun, or later.
func serving(rec *Recording, begun <-chan time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := <-begun
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
func observed(t *testing.T, rec *Recording, client *http.Client, url string, begun chan<- time.Time) *stages.Facts {
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
	begun <- start
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

// checkServed wants what is not a time to be exact, and no time to be early. It returns by how many ms the times are off.
func checkServed(t *testing.T, rec *Recording, f *stages.Facts) (off map[string]float64) {
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
	off = make(map[string]float64)
	for _, key := range []string{"ttft_ms", "ttfa_ms", "e2e_ms"} {
		late, known := got[key].(float64)
		if known != (want[key] != nil) || known && late < want[key].(float64) {
			t.Errorf("%s is %v, want %v or a little more", key, got[key], want[key])
		} else if known {
			off[key] = late - want[key].(float64)
		}
	}
	for _, key := range []string{"ttft_server_ms", "tpot_ms", "itl_p50_ms", "decode_residual_ms"} {
		// Of a token that comes late enough, after the end by the server's own account, there is no pace.
		if late, known := got[key].(float64); known && want[key] != nil {
			off[key] = math.Abs(late - want[key].(float64))
		}
	}
	var before time.Duration
	for _, p := range f.Phases() {
		if p.Start < before || p.End > f.Marks.End.D {
			t.Errorf("%s from %v to %v, after %v", p.Name, p.Start, p.End, before)
		}
		before = p.End
	}
	return off
}
