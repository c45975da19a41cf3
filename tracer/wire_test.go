package tracer_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// stream answers a chat in Ollama's way, a flush a line.
func stream(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, line := range []string{
		`{"model":"m","message":{"role":"assistant","content":"a"},"done":false}`,
		`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":2}`,
	} {
		io.WriteString(w, line+"\n")
		w.(http.Flusher).Flush()
	}
}

func TestConnections(t *testing.T) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			var got string
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r.Proto
				stream(w, r)
			}))
			srv.EnableHTTP2 = version == "HTTP/2.0"
			srv.StartTLS()
			defer srv.Close()
			rec := tracertest.New(t)
			var dialled int // hooks of the caller's own are called too
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{ConnectDone: func(string, string, error) { dialled++ }})
			client := &http.Client{Transport: tracer.Transport(srv.Client().Transport, tracer.WithTracerProvider(rec.TracerProvider()))}
			for range 2 {
				req, _ := http.NewRequestWithContext(ctx, "POST", srv.URL+"/api/chat", strings.NewReader(`{"model":"m","messages":[{}]}`))
				resp, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				drain(t, resp)
			}
			addr := srv.Listener.Addr().String()
			want := "chat m client ragtrace.http.conn.reused=false\n" +
				"├─ socket connect " + addr + " ragtrace.stage=connect ragtrace.inside_llm=false\n" +
				"└─ TLS client handshake 127.0.0.1 ragtrace.stage=connect ragtrace.inside_llm=false\n" +
				"chat m client ragtrace.http.conn.reused=true\n"
			tree := strings.ReplaceAll(rec.Tree(attr.Stage, attr.InsideLLM, attr.ConnReused), " ragtrace.stage=llm ragtrace.inside_llm=true", "")
			if diff := cmp.Diff(want, tree); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
			if got != version || dialled != 1 {
				t.Errorf("spoke %s, the caller saw %d dials; want %s, 1", got, dialled, version)
			}
			checkPlaced(t, rec)
		})
	}
}

func TestNoConnection(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	rec := tracertest.New(t)
	client := &http.Client{Transport: tracer.Transport(&http.Transport{}, tracer.WithTracerProvider(rec.TracerProvider()))}
	if _, err := client.Post("http://"+addr+"/api/chat", "application/json", strings.NewReader(`{"model":"m","messages":[{}]}`)); err == nil {
		t.Fatal("there is a server")
	}
	want := "chat m client error error.type=connection_refused\n└─ socket connect " + addr + "\n"
	if diff := cmp.Diff(want, rec.Tree("error.type")); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestUpgrade(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		io.WriteString(rw, line)
		rw.Flush()
	}))
	defer srv.Close()
	rec := tracertest.New(t)
	client := &http.Client{Transport: tracer.Transport(nil, tracer.WithTracerProvider(rec.TracerProvider()))}
	req, _ := http.NewRequest("GET", srv.URL, nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	rw, ok := resp.Body.(io.ReadWriter)
	if !ok {
		t.Fatalf("a %T cannot be written to", resp.Body)
	}
	io.WriteString(rw, "hello\n")
	if line, _ := bufio.NewReader(rw).ReadString('\n'); line != "hello\n" {
		t.Errorf("read %q", line)
	}
	only(t, rec, "GET")
}

func TestAnswersWithoutBody(t *testing.T) {
	rec := tracertest.New(t)
	client := tracer.Transport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
	}), tracer.WithTracerProvider(rec.TracerProvider()))
	req, _ := http.NewRequest("DELETE", "http://user:secret@host/x?token=1#f", nil)
	resp, err := client.RoundTrip(req)
	if err != nil || resp.Body != http.NoBody {
		t.Fatalf("body %v, error %v", resp.Body, err)
	}
	if got := tracertest.Value(only(t, rec, "DELETE"), "url.full").AsString(); got != "http://host/x" {
		t.Errorf("url.full %q, want it without user, query and fragment", got)
	}
}

// Broken transports are the caller's to see.
func TestBrokenTransports(t *testing.T) {
	rec := tracertest.New(t)
	opt := tracer.WithTracerProvider(rec.TracerProvider())
	req, _ := http.NewRequest("GET", "http://host/", nil)
	t.Run("nothing at all", func(t *testing.T) {
		resp, err := tracer.Transport(roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, nil }), opt).RoundTrip(req)
		if resp != nil || err != nil {
			t.Errorf("got %v, %v", resp, err)
		}
	})
	t.Run("panic", func(t *testing.T) {
		defer func() {
			if p := recover(); p != "mine" {
				t.Errorf("recovered %v, want mine", p)
			}
			if open := rec.Open(); len(open) > 0 {
				t.Errorf("left open: %v", open)
			}
		}()
		tracer.Transport(roundTripFunc(func(*http.Request) (*http.Response, error) { panic("mine") }), opt).RoundTrip(req)
	})
	t.Run("no URL", func(t *testing.T) {
		if _, err := tracer.Transport(&http.Transport{}, opt).RoundTrip(&http.Request{}); err == nil || !strings.Contains(err.Error(), "URL") {
			t.Errorf("error %v, want the base's on the URL", err)
		}
	})
}

// What a client asks of its transport reaches the base, which may not know how.
func TestCloseIdleConnections(t *testing.T) {
	base := new(idleCloser)
	(&http.Client{Transport: tracer.Transport(base)}).CloseIdleConnections()
	if base.closed != 1 {
		t.Errorf("closed %d times, want once", base.closed)
	}
	(&http.Client{Transport: tracer.Transport(roundTripFunc(nil))}).CloseIdleConnections()
}

type idleCloser struct {
	http.RoundTripper
	closed int
}

func (c *idleCloser) CloseIdleConnections() { c.closed++ }

func TestTrailerAndWriterTo(t *testing.T) {
	rec := tracertest.New(t)
	opt := tracer.WithTracerProvider(rec.TracerProvider())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		io.WriteString(w, "body")
		w.Header().Set("X-Sum", "7")
	}))
	defer srv.Close()
	resp, err := (&http.Client{Transport: tracer.Transport(nil, opt)}).Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	if body := drain(t, resp); body != "body" || resp.Trailer.Get("X-Sum") != "7" {
		t.Errorf("body %q, trailer %v", body, resp.Trailer)
	}

	rec.Reset()
	resp, err = tracer.Transport(roundTripFunc(func(*http.Request) (*http.Response, error) { return textOf(strings.Repeat("x", 1<<17)), nil }), opt).
		RoundTrip(httptest.NewRequest("GET", "http://host/", nil))
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	n, err := resp.Body.(io.WriterTo).WriteTo(writerFunc(func(p []byte) (int, error) { sizes = append(sizes, len(p)); return len(p), nil }))
	if n != 1<<17 || err != nil || !cmp.Equal(sizes, []int{1 << 17}) {
		t.Errorf("wrote %d in %v, error %v; want one write of %d", n, sizes, err, 1<<17)
	}
	only(t, rec, "GET")
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Session and number go to hosts that are not public, trace context goes everywhere, and what else the caller's baggage
// holds goes where the caller's propagators send it.
func TestWhatIsSentWhere(t *testing.T) {
	rec := tracertest.New(t)
	var got http.Header
	client := tracer.Transport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
		got = r.Header
		return textOf(""), nil
	}), tracer.WithTracerProvider(rec.TracerProvider()), w3c)
	tenant, _ := baggage.Parse("tenant=t1")
	inQuestion, _ := baggage.Parse("tenant=t1,session.id=old,ragtrace.question.number=9")
	const own = "session.id=a%20b,ragtrace.question.number=1"
	for _, c := range []struct {
		host    string
		baggage baggage.Baggage
		want    string
	}{
		{"localhost:11434", baggage.Baggage{}, own},
		{"ollama", baggage.Baggage{}, own},
		{"127.0.0.1:80", baggage.Baggage{}, own},
		{"[::1]:80", baggage.Baggage{}, own},
		{"10.1.2.3", baggage.Baggage{}, own},
		{"172.16.0.1", baggage.Baggage{}, own},
		{"192.168.1.9", baggage.Baggage{}, own},
		{"[fd00::1]", baggage.Baggage{}, own},
		{"gpu.local", baggage.Baggage{}, own},
		{"gpu.corp.internal.", baggage.Baggage{}, own},
		{"qdrant.rag.svc.cluster.local", baggage.Baggage{}, own},
		{"qdrant.rag.svc", baggage.Baggage{}, own},
		{"api.openai.com", baggage.Baggage{}, ""},
		{"8.8.8.8", baggage.Baggage{}, ""},
		{"172.32.0.1", baggage.Baggage{}, ""},
		{"[2606:4700::1]", baggage.Baggage{}, ""},
		{"local.example.com", baggage.Baggage{}, ""},
		{"ollama", tenant, "tenant=t1," + own},
		{"api.openai.com", tenant, "tenant=t1"},
		{"ollama", inQuestion, "tenant=t1," + own},
		{"api.openai.com", inQuestion, "tenant=t1"},
	} {
		ctx, q := tracer.Ask(baggage.ContextWithBaggage(context.Background(), c.baggage), "a b", tracer.WithTracerProvider(tracertest.New(t).TracerProvider()))
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://"+c.host+"/", nil)
		if _, err := client.RoundTrip(req); err != nil {
			t.Fatal(err)
		}
		q.End(nil)
		if got.Get("Baggage") != c.want {
			t.Errorf("%s: baggage %q, want %q", c.host, got.Get("Baggage"), c.want)
		}
		if got.Get("Traceparent") == "" {
			t.Errorf("%s: no traceparent", c.host)
		}
	}
}

// Calls side by side, some of them given up, do not see each other's connections.
func TestConnectionsSideBySide(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(stream))
	defer srv.Close()
	rec := tracertest.New(t)
	base := &http.Transport{MaxIdleConnsPerHost: 4}
	defer base.CloseIdleConnections()
	client := tracer.Transport(base, tracer.WithTracerProvider(rec.TracerProvider()))
	const n = 300
	var wg sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if i%5 == 0 {
				time.AfterFunc(time.Duration(i)*time.Microsecond, cancel)
			}
			req, _ := http.NewRequestWithContext(ctx, "POST", srv.URL+"/api/chat", strings.NewReader(`{"model":"m","messages":[{}]}`))
			if resp, err := client.RoundTrip(req); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
	if open := rec.Open(); len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
	calls := rec.Named("chat m")
	if len(calls) != n {
		t.Errorf("%d calls, want %d", len(calls), n)
	}
	dials := make(map[trace.SpanID]int)
	for _, s := range rec.Ended() {
		if strings.HasPrefix(s.Name(), "socket connect") {
			dials[s.Parent().SpanID()]++
		}
	}
	for _, c := range calls {
		most := 1
		if tracertest.Value(c, attr.ConnReused).AsBool() {
			most = 0
		}
		if d := dials[c.SpanContext().SpanID()]; d > most {
			t.Errorf("a call shows %d dials, want at most %d", d, most)
		}
	}
	checkPlaced(t, rec)
}
