package tracer_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/tracer"
)

// The spans of an answer end before the call does that it waits for, or begin after it, so that a critical path that is looked
// for among what ends last leads through the call.
func TestAnswerBesideItsCall(t *testing.T) {
	const ms, µs = time.Millisecond, time.Microsecond
	stream := func(w http.ResponseWriter, body io.Reader) {
		buf := make([]byte, 4096)
		for {
			n, err := body.Read(buf)
			if w.Write(buf[:n]); n > 0 {
				w.(http.Flusher).Flush()
			}
			if err != nil {
				return
			}
		}
	}
	more := func(w http.ResponseWriter, after time.Duration) {
		time.Sleep(after)
		io.WriteString(w, "and more")
		w.(http.Flusher).Flush()
	}
	// The first token comes 100 ms before the last line, with which the call ends. Times count from there.
	for _, c := range []struct {
		name  string
		serve func(w http.ResponseWriter, ask func() *http.Response)
		want  [][2]time.Duration // of the answer's spans
	}{
		{"passed on as it comes", func(w http.ResponseWriter, ask func() *http.Response) {
			stream(w, ask().Body)
		}, [][2]time.Duration{{-100 * ms, -2 * µs}}},
		{"and a little more", func(w http.ResponseWriter, ask func() *http.Response) {
			stream(w, ask().Body)
			more(w, 500*µs)
		}, [][2]time.Duration{{-100 * ms, -2 * µs}}},
		{"and much more", func(w http.ResponseWriter, ask func() *http.Response) {
			stream(w, ask().Body)
			more(w, 300*ms)
		}, [][2]time.Duration{{-100 * ms, -2 * µs}, {µs, 300 * ms}}},
		{"in one piece", func(w http.ResponseWriter, ask func() *http.Response) {
			io.Copy(io.Discard, ask().Body)
			more(w, 300*ms)
		}, [][2]time.Duration{{300 * ms, 300 * ms}}},
		{"in one piece at once", func(w http.ResponseWriter, ask func() *http.Response) {
			io.Copy(io.Discard, ask().Body)
			more(w, 0)
		}, [][2]time.Duration{{µs, µs}}},
		{"with another call after it", func(w http.ResponseWriter, ask func() *http.Response) {
			stream(w, ask().Body)
			time.Sleep(50 * ms)
			io.Copy(io.Discard, ask().Body)
		}, [][2]time.Duration{{-100 * ms, -2 * µs}}},
		{"without any call", func(w http.ResponseWriter, _ func() *http.Response) {
			more(w, 100*ms)
			more(w, 100*ms)
		}, [][2]time.Duration{{100 * ms, 200 * ms}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, coldOllama())
				h := tracer.Middleware(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					c.serve(rw, func() *http.Response { return w.post(r.Context(), t, "http://ollama:11434/api/chat", chat("llama3.2")) })
				}), w.opts...)
				called := time.Now()
				serve(h)
				if calls := w.rec.Named("chat llama3.2"); len(calls) > 0 {
					called = calls[0].EndTime()
				}
				var got [][2]time.Duration
				for _, s := range w.rec.Named("answer") {
					got = append(got, [2]time.Duration{s.StartTime().Sub(called), s.EndTime().Sub(called)})
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// What was painted comes after the call too, though its last line was passed on before it ended.
func TestPaintAfterTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(11 * time.Second) }) // until the page is forgotten
		w := newWorld(t, coldOllama())
		h := tracer.Middleware(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			resp := w.post(r.Context(), t, "http://ollama:11434/api/chat", chat("llama3.2"))
			io.CopyN(rw, resp.Body, 10)
			rw.(http.Flusher).Flush()
			drain(t, resp)
		}), w.opts...)
		serve(h, fromPage(pageID)...)
		time.Sleep(time.Second)
		report(h, `{"page":"`+pageID+`","last_paint_ms":2300}`)
		paint, call := only(t, w.rec, "paint"), only(t, w.rec, "chat llama3.2")
		if d := paint.StartTime().Sub(call.EndTime()); d != time.Microsecond {
			t.Errorf("the paint begins %v after the call, want 1µs", d)
		}
	})
}
