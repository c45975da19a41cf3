package tracer_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/ragtrace/ragtrace/tracer"
)

// What tracing costs, in allocations, is bounded by what others cost for the same.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates too")
	}
	allocs := func(f func()) float64 {
		f()
		return testing.AllocsPerRun(500, f)
	}
	t.Run("a question of 12 spans, one more each than by hand", func(t *testing.T) {
		p := sdk()
		opt := tracer.WithTracerProvider(p)
		hand := allocs(func() { questionByHand(p) })
		got := allocs(func() { question(opt) })
		t.Logf("by hand %v, tracer %v", hand, got)
		if got > hand+12 {
			t.Errorf("%v allocations, by hand %v", got, hand)
		}
	})
	t.Run("middleware, as otelhttp's handler", func(t *testing.T) {
		n := make(map[string]float64)
		for name, h := range handlers() {
			w, r := &nullWriter{http.Header{}}, httptest.NewRequest("POST", "/api/ask", nil)
			n[name] = allocs(func() { h.ServeHTTP(w, r) })
		}
		t.Log(n)
		if n["tracer"] > n["otelhttp"] {
			t.Errorf("%v allocations, otelhttp %v", n["tracer"], n["otelhttp"])
		}
	})
	t.Run("transport, a quarter more than otelhttp's at the most", func(t *testing.T) {
		n := make(map[string]float64)
		for name, rt := range transports(canned(`{"ok":true}`)) {
			n[name] = allocs(func() { exchange(rt, "http://tools:80/api/tool", []byte(`{"x":1}`)) })
		}
		t.Log(n)
		if n["tracer"]-n["bare"] > 1.25*(n["otelhttp"]-n["bare"]) {
			t.Errorf("%v allocations, otelhttp %v, bare %v", n["tracer"], n["otelhttp"], n["bare"])
		}
	})
}

// A stream costs nothing a chunk once it is warm, however long it is.
func TestStreamAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates too")
	}
	body := openStream(transports(endless())["tracer"])
	defer body.Close()
	buf := make([]byte, 4096)
	read := func(n int) {
		for range n {
			if _, err := body.Read(buf); err != nil {
				t.Fatal(err)
			}
		}
	}
	read(5000)
	if n := testing.AllocsPerRun(5000, func() { read(1) }); n != 0 {
		t.Errorf("%v allocations a chunk, want 0", n)
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	read(300_000)
	if grown := heap() - before; grown > 64<<10 {
		t.Errorf("the heap grew by %d bytes in 300000 chunks", grown)
	}
}
