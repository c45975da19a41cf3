package source

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

func TestCensus(t *testing.T) {
	const a, b = "0102030405060708090a0b0c0d0e0f10", "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"
	text := `{"resourceSpans":[{"scopeSpans":[{"spans":[
		{"traceId":"` + a + `","spanId":"0000000000000001","links":[{"traceId" :
			"` + b + `"}]},
		{"trace_id": "` + b + `"}, {"traceId":"` + strings.ToUpper(a) + `"},
		{"traceId":"short"}, {"traceId":17}, {"traceState":"` + a + `"}, {"traceId":"` + a + `0"}
	]}]}]}` + "\n"
	idA := model.TraceID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	var idB model.TraceID
	for i := range idB {
		idB[i] = 0xff
	}
	want := map[model.TraceID]int{idA: 2, idB: 2}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, text)
	w.Close()
	for name, r := range map[string]io.Reader{
		"as it is": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)), "packed": &packed,
	} {
		if diff := cmp.Diff(want, Census(r)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}

	// Far longer than what is looked at at once, so that every id is cut somewhere in one of the rounds.
	filler := strings.Repeat(" ", 997)
	one := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"` + a + `"` + filler + `}]}]}]}` + "\n"
	if got := Census(strings.NewReader(strings.Repeat(one, 5000))); got[idA] != 5000 || len(got) != 1 {
		t.Errorf("%v, want 5000 of one", got)
	}

	for name, text := range map[string]string{
		"nothing": "", "no requests": `{"data":[{"traceID":"` + a + `"}]}`, "no JSON": "\x0a\x02\x0a\x00", "bad packing": "\x1f\x8bxx",
	} {
		if got := Census(strings.NewReader(text)); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := Census(io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))); got != nil {
		t.Errorf("a broken file: %v", got)
	}
}
