package index

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

var errQuestion = errors.New("a question cannot be read: the file is damaged")

// A decoder reads questions. Texts, which are the same in most of them, are held once, and small things lie in large
// blocks.
type decoder struct {
	b         []byte
	bad       bool
	texts     map[string]string
	questions []diagnose.Question
	calls     []diagnose.Call
	durations []time.Duration
}

func newDecoder() *decoder { return &decoder{texts: map[string]string{}} }

// question reads one question into q.
func (d *decoder) question(b []byte, q *diagnose.Question) error {
	b, ok := unseal(b)
	if !ok || len(b) < len(q.TraceID)+len(q.RootID) {
		return errQuestion
	}
	d.b, d.bad = b, false
	d.b = d.b[copy(q.TraceID[:], d.b):]
	d.b = d.b[copy(q.RootID[:], d.b):]
	q.Start = d.varint()
	q.End = q.Start + d.varint()
	q.Number = int(d.varint())
	q.Session, q.Service, q.Instance, q.Pipeline = d.text(), d.text(), d.text(), d.text()
	q.Status, q.EmbedModel = diagnose.Status(d.text()), d.text()
	q.TTFTRuler, q.HeldBack = diagnose.Ruler(d.text()), diagnose.HeldBack(d.text())
	q.TTFT = time.Duration(d.varint())
	if first := d.varint(); first >= 0 {
		q.FirstByte = &take(&d.durations, 1)[0]
		*q.FirstByte = time.Duration(first)
	}
	q.Stages = uint32(d.uvarint())
	present := d.uvarint()
	for c := range q.Components {
		if present&(1<<c) != 0 {
			q.Components[c] = time.Duration(d.varint())
		}
	}
	if n, some := d.count(); some {
		q.Flags = make([]string, n)
		for i := range q.Flags {
			q.Flags[i] = d.text()
		}
	}
	if n, some := d.count(); some {
		q.Calls = take(&d.calls, n)
		for i := range q.Calls {
			d.call(&q.Calls[i], q.Start)
		}
	}
	if d.bad || len(d.b) > 0 {
		return errQuestion
	}
	return nil
}

func (d *decoder) call(c *diagnose.Call, start int64) {
	bits := d.uvarint()
	c.Model, c.Provider, c.Server = d.text(), d.text(), d.text()
	c.Start = start + d.varint()
	c.End = c.Start + d.varint()
	c.KeepAlive = time.Duration(d.varint())
	c.Input, c.Output, c.Cached = d.varint(), d.varint(), d.varint()
	c.Failed, c.KeepAliveSent = bits&callFailed != 0, bits&callKeepAliveSent != 0
	if bits&callNumCtx != 0 {
		c.NumCtx = d.varint()
	}
	if bits&callLoad != 0 {
		c.LoadStart = start + d.varint()
		c.LoadEnd = c.LoadStart + d.varint()
	}
	for i, p := range pace(c) {
		if bits&(callPace<<i) != 0 {
			*p = &take(&d.durations, 1)[0]
			**p = time.Duration(d.varint())
		}
	}
}

// take takes n elements from a block, which is made anew when too little of it is left.
func take[T any](block *[]T, n int) []T {
	if n > len(*block) {
		*block = make([]T, max(n, 256))
	}
	taken := (*block)[:n:n]
	*block = (*block)[n:]
	return taken
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad, n = true, 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, n = true, 0
	}
	d.b = d.b[n:]
	return v
}

// count is the length of a list; some is false when there is no list. Every element takes a byte at least.
func (d *decoder) count() (n int, some bool) {
	v := d.uvarint()
	if v == 0 || v-1 > uint64(len(d.b)) {
		d.bad = d.bad || v != 0
		return 0, false
	}
	return int(v - 1), true
}

func (d *decoder) text() string {
	size := d.uvarint()
	if size > uint64(len(d.b)) {
		d.bad = true
		return ""
	}
	raw := d.b[:size]
	d.b = d.b[size:]
	text, known := d.texts[string(raw)]
	if !known {
		text = string(raw)
		d.texts[text] = text
	}
	return text
}
