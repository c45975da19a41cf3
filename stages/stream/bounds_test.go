package stream

import (
	"bytes"
	"runtime"
	"testing"
	"time"
)

// quiet is a Sink that only counts.
type quiet struct{ values, documents int }

func (q *quiet) Value(Value)       { q.values++ }
func (q *quiet) Document(Document) { q.documents++ }

// allocated is how many bytes f allocates in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestMemoryIsBounded(t *testing.T) {
	const size, limit = 16 << 20, 64 << 10
	piece := bytes.Repeat([]byte("0123456789 abcdef, "), 1700)
	for _, tt := range []struct {
		name             string
		framing          Framing
		before, after    string
		values, document int
	}{
		{"a long text that is kept", Lines, `{"a":"`, "\"}\n", 1, 1},
		{"a long text that is not", Lines, `{"b":"`, "\",\"a\":1}\n", 1, 1},
		{"a long skipped array", Lines, `{"b":[`, "],\"a\":1}\n", 1, 1},
		{"a long event", Events, `data: {"a":"`, "\"}\n\n", 1, 1},
		{"a long comment", Events, `: `, "\n\ndata: {\"a\":1}\n\n", 1, 1},
		{"a long field name", Events, "data: {\"a\":1}\n\nx", "\n\n", 1, 1},
		{"a long key", JSON, `{"`, `":1,"a":1}`, 1, 1},
		{"a long text where a number ends", JSON, `{"a":1`, `}`, 1, 1},
		{"garbage", Lines, ``, "\n{\"a\":1}\n", 1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var q quiet
			s := NewSplitter(NewSchema("a"), tt.framing, &q)
			got := allocated(func() {
				s.Write(0, []byte(tt.before))
				for range size / len(piece) {
					s.Write(0, piece)
				}
				s.Write(0, []byte(tt.after))
				s.Close(true)
			})
			if got > limit {
				t.Errorf("16 MB cost %d bytes of memory, want at most %d", got, limit)
			}
			if q.values != tt.values || q.documents != tt.document {
				t.Errorf("%d values and %d documents, want %d and %d", q.values, q.documents, tt.values, tt.document)
			}
		})
	}
}

func TestNoAllocationPerPiece(t *testing.T) {
	for name, tt := range map[string]struct {
		framing Framing
		piece   string
	}{
		"lines":  {Lines, "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"h\\u00e9llo\"},\"done\":false}\n"},
		"events": {Events, "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hello\"},\"finish_reason\":null}]}\r\n\r\n"},
	} {
		var q quiet
		s := NewSplitter(NewSchema("model", "message.content#", "choices[].delta.content#", "choices[].finish_reason"), tt.framing, &q)
		piece, at := []byte(tt.piece), time.Duration(0)
		if n := testing.AllocsPerRun(1000, func() {
			at += time.Millisecond
			s.Write(at, piece)
		}); n != 0 {
			t.Errorf("%s: %v allocations a piece, want none", name, n)
		}
		if q.documents != 1001 {
			t.Errorf("%s: %d documents of 1001", name, q.documents)
		}
	}
}

func BenchmarkSkip(b *testing.B) {
	piece := bytes.Repeat([]byte("100000,"), 32<<10/7)
	var q quiet
	s := NewSplitter(NewSchema("a"), Lines, &q)
	s.Write(0, []byte(`{"context":[`))
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		s.Write(0, piece)
	}
}

func BenchmarkLine(b *testing.B) {
	line := []byte("{\"model\":\"llama3.2:3b\",\"created_at\":\"2026-11-30T09:00:00.0606Z\",\"message\":{\"role\":\"assistant\",\"content\":\" hello\"},\"done\":false}\n")
	var q quiet
	s := NewSplitter(NewSchema("model", "created_at", "message.content#", "done"), Lines, &q)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		s.Write(0, line)
	}
}
