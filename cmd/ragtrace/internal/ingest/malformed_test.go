package ingest_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A thousand requests that no sender should make, beside good traffic: each is refused with its status, every good one is
// taken and kept, and in the end no more memory is held than before.
func TestAThousandMalformedRequestsBesideGoodOnes(t *testing.T) {
	const rounds, hostile = 125, 8
	server, st := start(t)
	good := marshal(t, otlptest.Questions(1))
	wrongIDs := marshal(t, otlptest.Request(&tracepb.Span{TraceId: otlptest.ID(15), SpanId: otlptest.ID(9)}))
	bomb := packed(t, make([]byte, 64<<20))
	bytesOf := func(b []byte) func() io.Reader { return func() io.Reader { return bytes.NewReader(b) } }
	kinds := [hostile]struct {
		name, contentType, encoding string
		body                        func() io.Reader
		status                      int
	}{
		{"truncated", protobuf, "", bytesOf(good[:len(good)-3]), 400},
		{"text where a message should be", protobuf, "", bytesOf(wrap(1, []byte("hello"))), 400},
		{"JSON of wrong types", jsonType, "", bytesOf([]byte(`{"resourceSpans":[{"scopeSpans":7}]}`)), 400},
		{"deep JSON", jsonType, "", bytesOf([]byte(`{"resourceSpans":` + strings.Repeat("[", 1<<20))), 400},
		{"of 64 MiB", protobuf, "", func() io.Reader { return io.LimitReader(zeros{}, 64<<20) }, 413},
		{"a gzip bomb", protobuf, "gzip", bytesOf(bomb), 413},
		{"not gzip", protobuf, "gzip", bytesOf(good), 400},
		// The spans are refused one by one, and the answer says so.
		{"ids of wrong length", protobuf, "", bytesOf(wrongIDs), 200},
	}
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()

	var sending, attacking sync.WaitGroup
	done := make(chan struct{})
	var sent atomic.Int64
	sending.Go(func() {
		for {
			request := marshal(t, otlptest.Questions(1))
			if status := handle(server, http.Header{"Content-Type": {protobuf}}, request); status != 200 {
				t.Errorf("a good request: %d", status)
			}
			sent.Add(1)
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for i := range 2 { // at once, each half of them
		attacking.Go(func() {
			for n := i; n < rounds*hostile; n += 2 {
				k := kinds[n/2%hostile]
				req := httptest.NewRequest("POST", "/v1/traces", k.body())
				req.Header = http.Header{"Content-Type": {k.contentType}, "Content-Encoding": {k.encoding}}
				w := httptest.NewRecorder()
				server.ServeHTTP(w, req)
				if w.Code != k.status || w.Body.Len() == 0 {
					t.Errorf("%s: status %d with %d bytes, want %d and a reason", k.name, w.Code, w.Body.Len(), k.status)
				}
			}
		})
	}
	attacking.Wait()
	close(done)
	sending.Wait()

	if after := held(); after > before+16<<20 || server.Receiving() != 0 {
		t.Errorf("%d MiB are held after, %d before, %d bytes of them for requests", after>>20, before>>20, server.Receiving())
	}
	if n := len(stored(t, st)); int64(n) != 12*sent.Load() {
		t.Errorf("%d spans stored, want those of %d good requests", n, sent.Load())
	}
	if c := server.Counts(); c.Busy != 0 {
		t.Errorf("counts are %+v, want nobody to have been sent away", c)
	}
	t.Logf("%d good requests beside %d", sent.Load(), rounds*hostile)
}
