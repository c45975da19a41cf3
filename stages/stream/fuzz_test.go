package stream

import (
	"bytes"
	"encoding/json"
	"testing"
)

var fuzzPaths = []string{"$", "a", "b#", "c[].d", "c[]", "e.f.g", "[].a", "[]"}

// FuzzSplitter wants no panic, the same whether the bytes come at once or one by one, and a whole document for whatever
// encoding/json takes for one.
func FuzzSplitter(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":"x","c":[{"d":null},[]],"e":{"f":{"g":"\ud83d\ude00"}}}`, `[{"a":1}]`, "data: {\"a\":1}\r\n\r\n",
		": ping\n\nevent: x\ndata: [DONE]\n\n", "{\"a\":1}\n{\"a\":2}", `"\u12"`, "12", "\xEF\xBB\xBF{}",
	} {
		for framing := range 3 {
			f.Add(uint8(framing), true, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, framing uint8, clean bool, body []byte) {
		fr := Framing(framing % 3)
		whole := split(fr, clean, fuzzPaths, string(body))
		if pieces := bytewise(fr, clean, fuzzPaths, string(body)); pieces != whole {
			t.Errorf("at once:\n%s\nbyte by byte:\n%s", whole, pieces)
		}
		if fr == JSON && clean && json.Valid(body) && !bytes.HasSuffix([]byte(whole), []byte("--")) {
			t.Errorf("valid JSON is not whole:\n%s", whole)
		}
	})
}

// FuzzInflater wants no panic and no goroutine left, whatever is unpacked.
func FuzzInflater(f *testing.F) {
	for _, kind := range []string{"gzip", "zlib", "bare"} {
		f.Add(kind == "gzip", bytes.Join(pack(f, kind, "hello", "world"), nil))
	}
	f.Fuzz(func(t *testing.T, gz bool, body []byte) {
		encoding := "deflate"
		if gz {
			encoding = "gzip"
		}
		z, _ := NewInflater(encoding)
		defer z.Close()
		var once []byte
		z.Write(body, func(p []byte) { once = append(once, p...) })
		y, _ := NewInflater(encoding)
		defer y.Close()
		var bytewise []byte
		for i := range body {
			y.Write(body[i:i+1], func(p []byte) { bytewise = append(bytewise, p...) })
		}
		if !bytes.Equal(once, bytewise) {
			t.Errorf("unpacks to %d bytes at once, to %d byte by byte", len(once), len(bytewise))
		}
	})
}
