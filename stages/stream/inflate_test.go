package stream

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type flusher interface {
	io.WriteCloser
	Flush() error
}

// pack compresses pieces with a flush after each, as a gateway that streams does.
func pack(t testing.TB, encoding string, pieces ...string) [][]byte {
	t.Helper()
	var buf bytes.Buffer
	var w flusher
	switch encoding {
	case "gzip":
		z := gzip.NewWriter(&buf)
		z.Name, z.Comment, z.Extra = "name", "comment", []byte("extra")
		w = z
	case "zlib":
		w = zlib.NewWriter(&buf)
	case "bare":
		w, _ = flate.NewWriter(&buf, flate.DefaultCompression)
	}
	var out [][]byte
	take := func() { out = append(out, bytes.Clone(buf.Bytes())); buf.Reset() }
	for _, p := range pieces {
		if _, err := io.WriteString(w, p); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		take()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	take()
	return out
}

func TestInflateAsItComes(t *testing.T) {
	pieces := []string{"hello ", "world", strings.Repeat("long ", 5000), "end"}
	for wire, encoding := range map[string]string{"gzip": "gzip", "zlib": "deflate", "bare": "deflate"} {
		t.Run(wire, func(t *testing.T) {
			z, ok := NewInflater(encoding)
			if !ok || z == nil {
				t.Fatalf("NewInflater(%q) is %v, %v", encoding, z, ok)
			}
			defer z.Close()
			packed := pack(t, wire, pieces...)
			for i, want := range append(pieces, "") {
				var got strings.Builder
				for _, b := range packed[i] {
					if !z.Write([]byte{b}, func(p []byte) { got.Write(p) }) {
						t.Fatalf("piece %d cannot be unpacked", i)
					}
				}
				if got.String() != want {
					t.Fatalf("piece %d unpacks to %d bytes when all of it has come, want %d", i, got.Len(), len(want))
				}
			}
		})
	}
}

func TestInflateSeveralMembers(t *testing.T) {
	z, _ := NewInflater("x-gzip")
	defer z.Close()
	var wire []byte
	for _, p := range append(pack(t, "gzip", "one "), pack(t, "gzip", "two")...) {
		wire = append(wire, p...)
	}
	wire = append(wire, 0, 0, 0, 0) // padding
	var got strings.Builder
	if !z.Write(wire, func(p []byte) { got.Write(p) }) || got.String() != "one two" {
		t.Errorf("got %q", got.String())
	}
}

func TestInflateRefuses(t *testing.T) {
	if z, ok := NewInflater("br"); z != nil || ok {
		t.Error("brotli cannot be read and was not refused")
	}
	if z, ok := NewInflater("identity"); z != nil || !ok {
		t.Error("identity needs no unpacking")
	}
	z, _ := NewInflater("gzip")
	defer z.Close()
	if z.Write([]byte("{\"this\":\"is not compressed\"}"), func([]byte) {}) {
		t.Error("plain text passed as gzip")
	}
	if z.Write([]byte("more"), func([]byte) { t.Error("got bytes after a failure") }) {
		t.Error("a failed body recovered")
	}
}

func TestInflateStopsAtABomb(t *testing.T) {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	zeros := make([]byte, 1<<20)
	for range 2 * maxInflated >> 20 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	z, _ := NewInflater("gzip")
	defer z.Close()
	var out int
	if z.Write(buf.Bytes(), func(p []byte) { out += len(p) }) {
		t.Error("a bomb was unpacked to its end")
	}
	if limit := buf.Len()*maxInflatedRatio + 1<<20; out > max(limit, maxInflated+1<<20) {
		t.Errorf("%d bytes were unpacked", out)
	}
}

func TestInflaterClosesAtAnyMoment(t *testing.T) {
	packed := bytes.Join(pack(t, "gzip", "hello", "world"), nil)
	for n := range packed {
		z, _ := NewInflater("gzip")
		z.Write(packed[:n], func([]byte) {})
		z.Close()
		z.Close()
	}
}
