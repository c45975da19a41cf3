package tracer_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// interfaces are the optional ones that handlers ask a writer for.
func interfaces(w http.ResponseWriter) []string {
	var has []string
	add := func(name string, ok bool) {
		if ok {
			has = append(has, name)
		}
	}
	_, ok := w.(http.Flusher)
	add("Flusher", ok)
	_, ok = w.(interface{ FlushError() error })
	add("FlushError", ok)
	_, ok = w.(http.Hijacker)
	add("Hijacker", ok)
	_, ok = w.(io.ReaderFrom)
	add("ReaderFrom", ok)
	_, ok = w.(io.StringWriter)
	add("StringWriter", ok)
	_, ok = w.(http.Pusher)
	add("Pusher", ok)
	//lint:ignore SA1019 old handlers still ask for it
	_, ok = w.(http.CloseNotifier)
	add("CloseNotifier", ok)
	c := http.NewResponseController(w)
	add("deadlines", c.SetWriteDeadline(time.Now().Add(time.Minute)) == nil)
	add("full duplex", c.EnableFullDuplex() == nil)
	return has
}

// only Flush and Write.
type flushWriter struct {
	http.ResponseWriter
}

func (f flushWriter) Flush() { f.ResponseWriter.(http.Flusher).Flush() }

// The handler's writer can do what the server's can, no more and no less.
func TestWriterKeepsItsInterfaces(t *testing.T) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0", "wrapped by others"} {
		t.Run(version, func(t *testing.T) {
			rec := tracertest.New(t)
			var bare, wrapped []string
			inner := tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				wrapped = interfaces(w)
			}), tracer.WithTracerProvider(rec.TracerProvider()))
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if version == "wrapped by others" {
					w = flushWriter{w}
				}
				bare = interfaces(w)
				inner.ServeHTTP(w, r)
			}))
			srv.EnableHTTP2 = version == "HTTP/2.0"
			srv.StartTLS()
			defer srv.Close()
			resp, err := srv.Client().Get(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if diff := cmp.Diff(bare, wrapped); diff != "" || len(bare) == 0 {
				t.Errorf("(-server's +handler's):\n%s", diff)
			}
		})
	}
}

// Every way of writing arrives, and counts as an answer.
func TestWaysOfWriting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answer")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		write    func(w http.ResponseWriter, r *http.Request)
		want     string
		streamed bool
	}{
		{"Write", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a") }, "a", false},
		{"WriteString", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "a") }, "a", false},
		{"copy", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(w, struct{ io.Reader }{strings.NewReader("abc")})
		}, "abc", false},
		{"big copy", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(w, struct{ io.Reader }{bytes.NewReader(make([]byte, 1<<20))})
		}, string(make([]byte, 1<<20)), false},
		{"file", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) }, "from a file", false},
		{"flushes", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "a")
			w.(http.Flusher).Flush()
			io.WriteString(w, "b")
		}, "ab", true},
		{"flushes with errors", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "a")
			http.NewResponseController(w).Flush()
			io.WriteString(w, "b")
		}, "ab", true},
		{"flush at the end only", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "a")
			w.(http.Flusher).Flush()
		}, "a", false},
		{"flush at the start only", func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			io.WriteString(w, "a")
		}, "a", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := tracertest.New(t)
			srv := httptest.NewServer(tracer.Middleware(http.HandlerFunc(c.write), tracer.WithTracerProvider(rec.TracerProvider())))
			resp, err := http.Get(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			if got := drain(t, resp); got != c.want {
				t.Errorf("%d bytes arrived, want %d", len(got), len(c.want))
			}
			srv.Close()
			root := only(t, rec, "question")
			if got := tracertest.Value(root, attr.AnswerStreamed).AsBool(); got != c.streamed {
				t.Errorf("streamed %v, want %v", got, c.streamed)
			}
			answer := only(t, rec, "answer")
			if answer.StartTime().Before(root.StartTime()) || answer.EndTime().After(root.EndTime()) {
				t.Errorf("the answer is not within the question")
			}
		})
	}
}

// Of a copy that is bounded, as of one that is not, the first byte goes out when the server's buffer is full.
func TestFirstByteOfACopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := tracertest.New(t)
		ln, dial := fakeserver.Listen()
		srv := &http.Server{Handler: tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer, model := io.Pipe()
			go func() {
				model.Write(make([]byte, 8<<10))
				time.Sleep(time.Second)
				model.Write(make([]byte, 8<<10))
			}()
			io.CopyN(w, answer, 16<<10)
		}), tracer.WithTracerProvider(rec.TracerProvider()))}
		go srv.Serve(ln)
		base := &http.Transport{DialContext: dial}
		resp, err := (&http.Client{Transport: base}).Get("http://app/")
		if err != nil {
			t.Fatal(err)
		}
		drain(t, resp)
		base.CloseIdleConnections()
		srv.Close()
		synctest.Wait()
		if s := only(t, rec, "answer"); s.EndTime().Sub(s.StartTime()) != time.Second {
			t.Errorf("the answer took %v, want 1s", s.EndTime().Sub(s.StartTime()))
		}
	})
}

// A client that goes away while it is being answered.
func TestClientStopsReading(t *testing.T) {
	rec := tracertest.New(t)
	done := make(chan struct{})
	srv := httptest.NewServer(tracer.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}), tracer.WithTracerProvider(rec.TracerProvider())))
	defer srv.Close()
	resp, err := http.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	io.ReadFull(resp.Body, make([]byte, 1<<16))
	resp.Body.Close()
	<-done
	srv.Close()
	if got := tracertest.Value(only(t, rec, "question"), "error.type").AsString(); got != "canceled" {
		t.Errorf("error.type %q, want canceled", got)
	}
}
