package recognise

import (
	"bytes"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/stages"
)

const (
	openAIToken = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"A"},"finish_reason":null}]}` + "\n\n"
	events      = "text/event-stream"
)

var streams = map[string]struct{ path, contentType, token string }{
	"Ollama NDJSON": {"/api/chat", ndjson, ollamaToken},
	"OpenAI SSE":    {"/v1/chat/completions", events, openAIToken},
}

// started is an observer in the middle of a streamed answer.
func started(path, contentType string) *Observer {
	o := New(call(path))
	o.WroteHeaders(1 * ms)
	o.RequestBody([]byte(chatBody))
	o.Response(2*ms, 200, http.Header{"Content-Type": {contentType}})
	return o
}

func TestNoAllocationPerChunk(t *testing.T) {
	for name, s := range streams {
		o := started(s.path, s.contentType)
		at, chunk := 2*ms, []byte(s.token)
		for range 2000 { // warm: past the exact gaps
			at += ms
			o.ResponseBody(at, chunk)
		}
		if n := testing.AllocsPerRun(1000, func() {
			at += ms
			o.ResponseBody(at, chunk)
		}); n != 0 {
			t.Errorf("%s: %v allocations a chunk, want none", name, n)
		}
		o.End(at, stages.EndedClosed, nil)
		if got := o.Facts().TokenEvents; got != 3001 {
			t.Errorf("%s: %d token events, want 3001", name, got)
		}
	}
}

// allocated is how many bytes f allocates in all, freed or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestMemoryOfOneExchange(t *testing.T) {
	const limit = 1 << 20
	filler := bytes.Repeat([]byte("x"), 32<<10)
	for name, s := range streams {
		begin, end, found := strings.Cut(s.token, "A\"")
		if !found {
			t.Fatal(name)
		}
		t.Run(name+", a line of 100 MB", func(t *testing.T) {
			o := started(s.path, s.contentType)
			if got := allocated(func() {
				o.ResponseBody(3*ms, []byte(begin))
				for range 100 << 20 / len(filler) {
					o.ResponseBody(4*ms, filler)
				}
				o.ResponseBody(5*ms, []byte("\""+end))
				o.End(6*ms, stages.EndedClosed, nil)
			}); got > limit {
				t.Errorf("cost %d bytes", got)
			}
			if f := o.Facts(); f.TokenEvents != 1 || f.Marks.FirstToken.D != 5*ms {
				t.Errorf("%d token events, the first at %v; want one at 5 ms", f.TokenEvents, f.Marks.FirstToken.D)
			}
		})
		t.Run(name+", an endless stream", func(t *testing.T) {
			o := started(s.path, s.contentType)
			chunk := []byte(s.token)
			if got := allocated(func() {
				for i := range 200_000 {
					o.ResponseBody(time.Duration(i)*ms, chunk)
				}
				o.End(200_000*ms, stages.EndedClosed, nil)
			}); got > limit {
				t.Errorf("cost %d bytes", got)
			}
			if d, _ := o.Facts().Gaps.Quantile(0.5); d < ms*99/100 || d > ms*101/100 {
				t.Errorf("median gap %v, want 1 ms within 1 %%", d)
			}
		})
	}
	t.Run("a request of 100 MB", func(t *testing.T) {
		o := New(call("/api/chat"))
		if got := allocated(func() {
			o.RequestBody([]byte(`{"messages":[{"content":"`))
			for range 100 << 20 / len(filler) {
				o.RequestBody(filler)
			}
			o.RequestBody([]byte(`"}],"model":"m"}`))
			o.End(ms, stages.EndedClosed, nil)
		}); got > limit {
			t.Errorf("cost %d bytes", got)
		}
		if r := o.Facts().Request; r.Model != "m" || r.Messages != 1 {
			t.Errorf("model %q, %d messages", r.Model, r.Messages)
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	for name, s := range streams {
		chunk := []byte(s.token)
		b.Run(name, func(b *testing.B) {
			o := started(s.path, s.contentType)
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			at := 2 * ms
			for b.Loop() {
				at += ms
				o.ResponseBody(at, chunk)
			}
		})
		b.Run(name+", plain copying", func(b *testing.B) {
			to := make([]byte, len(chunk))
			b.SetBytes(int64(len(chunk)))
			for b.Loop() {
				copy(to, chunk)
			}
		})
	}
}
