package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
)

func TestChunk(t *testing.T) {
	want := []storedSpan{
		{model.SpanID{1}, 1, 2, []byte("one")},
		{model.SpanID{2}, 1 << 40, 3, nil},
		{model.SpanID{3}, 4, 5, bytes.Repeat([]byte("three"), 1000)},
	}
	var content []byte
	for _, s := range want {
		content = appendSpan(content, s)
	}
	chunk := pack(nil, content)
	if len(chunk) > 500 {
		t.Errorf("%d bytes packed are %d", len(content), len(chunk))
	}
	unpacked, err := unpack(nil, chunk)
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	err = eachSpan(unpacked, func(s storedSpan) error {
		w := want[i]
		i++
		if s.id != w.id || s.resource != w.resource || s.scope != w.scope || !bytes.Equal(s.otlp, w.otlp) {
			t.Errorf("span %d is %v", i, s)
		}
		return nil
	})
	if err != nil || i != len(want) {
		t.Errorf("%d spans, %v", i, err)
	}
	for i := range chunk {
		damaged := bytes.Clone(chunk)
		damaged[i] ^= 0x10
		if _, err := unpack(nil, damaged); !errors.Is(err, errChunk) {
			t.Errorf("byte %d damaged: error is %v", i, err)
		}
	}
}

func FuzzChunk(f *testing.F) {
	content := appendSpan(appendSpan(nil, storedSpan{model.SpanID{1}, 1, 2, []byte("one")}), storedSpan{model.SpanID{2}, 1, 2, nil})
	f.Add(content)
	f.Add(pack(nil, content))
	f.Fuzz(func(t *testing.T, b []byte) {
		if content, err := unpack(nil, b); err == nil {
			b = content
		}
		var again []byte
		if eachSpan(b, func(s storedSpan) error { again = appendSpan(again, s); return nil }) != nil {
			return
		}
		n := 0
		if err := eachSpan(again, func(storedSpan) error { n++; return nil }); err != nil {
			t.Errorf("after %d spans: %v", n, err)
		}
	})
}

// A trace may be a whole session, whose spans come one by one over hours.
func TestSpansThatComeOneByOneAreMerged(t *testing.T) {
	s, err := Open(t.TempDir() + "/test.db")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := batchOf(t, otlptest.Questions(1)).Spans
	for len(all) < 100 {
		one := batchOf(t, otlptest.Questions(1)).Spans[1]
		one.TraceID = all[0].TraceID
		all = append(all, one)
	}
	for range 2 { // each span comes twice
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for i := range all {
			b := batchOf(t, otlptest.Request())
			b.Spans = all[i : i+1]
			if err := s.Append(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
	}
	spans, err := s.Trace(t.Context(), all[0].TraceID)
	if err != nil || len(spans) != 100 {
		t.Fatalf("%d spans, %v, want 100", len(spans), err)
	}
	var chunks int
	if err := s.db.QueryRow("SELECT count(*) FROM chunk").Scan(&chunks); err != nil || chunks > manyChunks {
		t.Errorf("%d chunks, %v", chunks, err)
	}
}

func TestLargeTracesAreDivided(t *testing.T) {
	s, err := Open(t.TempDir() + "/test.db")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	request := otlptest.Questions(1)
	for _, span := range request.ResourceSpans[0].ScopeSpans[0].Spans {
		span.Attributes = append(span.Attributes, otlptest.Str("text", string(make([]byte, 300<<10))))
	}
	b := batchOf(t, request)
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	spans, err := s.Trace(t.Context(), b.Spans[0].TraceID)
	if err != nil || len(spans) != 12 {
		t.Errorf("%d spans, %v, want 12", len(spans), err)
	}
	var chunks int
	// 12 spans of 300 KiB; a chunk is full with its fourth.
	if err := s.db.QueryRow("SELECT count(*) FROM chunk").Scan(&chunks); err != nil || chunks != 3 {
		t.Errorf("%d chunks, %v, want 3", chunks, err)
	}
}
