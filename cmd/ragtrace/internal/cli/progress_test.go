package cli

import (
	"bytes"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	if p := newProgress(&b, "reading x", "spans"); p.w != nil {
		t.Error("progress is told to what is no terminal")
	}
	p := &progress{w: &b, what: "reading x", unit: "spans", next: time.Now().Add(time.Hour)}
	p.at(64)
	p.done()
	if b.Len() > 0 {
		t.Errorf("told before it is time: %q", &b)
	}
	p.next = time.Time{}
	p.at(65) // not asked for the time
	p.at(128)
	p.at(192) // too soon after the last
	p.done()
	p.done()
	if want := "\r\x1b[Kreading x: 128 spans\r\x1b[K"; b.String() != want {
		t.Errorf("told %q, want %q", &b, want)
	}
}
