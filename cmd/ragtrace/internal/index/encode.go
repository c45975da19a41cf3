package index

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// format is the way in which questions are cut, written and packed. It goes up with every change to any of these, which one to
// the columns of diagnose is too: then all stores are cut anew.
const format = 4

// encode writes a question. Numbers are varints, texts have their length before them, and what is mostly zero is left out
// behind a set of bits; times within the question count from its start. A checksum is last.
func encode(q *diagnose.Question) []byte {
	var b []byte
	b = append(b, q.TraceID[:]...)
	b = append(b, q.RootID[:]...)
	b = binary.AppendVarint(b, q.Start)
	b = binary.AppendVarint(b, q.End-q.Start)
	b = binary.AppendVarint(b, int64(q.Number))
	for _, s := range []string{q.Session, q.Service, q.Instance, q.Pipeline, string(q.Status), q.EmbedModel, string(q.TTFTRuler), string(q.HeldBack)} {
		b = appendString(b, s)
	}
	b = binary.AppendVarint(b, int64(q.TTFT))
	first := int64(-1)
	if q.FirstByte != nil {
		first = int64(*q.FirstByte)
	}
	b = binary.AppendVarint(b, first)
	b = binary.AppendUvarint(b, uint64(q.Stages))

	var present uint64
	for c, d := range q.Components {
		if d != 0 {
			present |= 1 << c
		}
	}
	b = binary.AppendUvarint(b, present)
	for _, d := range q.Components {
		if d != 0 {
			b = binary.AppendVarint(b, int64(d))
		}
	}
	b = appendCount(b, len(q.Flags), q.Flags == nil)
	for _, flag := range q.Flags {
		b = appendString(b, flag)
	}
	b = appendCount(b, len(q.Calls), q.Calls == nil)
	for i := range q.Calls {
		b = encodeCall(b, &q.Calls[i], q.Start)
	}
	return seal(b)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends a checksum.
func seal(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// unseal takes the checksum off; ok is false when it is wrong.
func unseal(b []byte) (content []byte, ok bool) {
	end := len(b) - crc32.Size
	if end < 0 || crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, false
	}
	return b[:end], true
}

// The bits before a call say what it has.
const (
	callFailed = 1 << iota
	callKeepAliveSent
	callNumCtx
	callLoad
	callPace // the first of those of pace
)

// pace is the durations of a call that may be unknown.
func pace(c *diagnose.Call) [6]**time.Duration {
	p := &c.Pace
	return [...]**time.Duration{&p.TTFT, &p.TTFA, &p.TTFTServer, &p.TPOT, &p.ITLP50, &p.ITLP95}
}

func encodeCall(b []byte, c *diagnose.Call, start int64) []byte {
	var bits uint64
	set := func(bit uint64, is bool) {
		if is {
			bits |= bit
		}
	}
	set(callFailed, c.Failed)
	set(callKeepAliveSent, c.KeepAliveSent)
	set(callNumCtx, c.NumCtx != 0)
	set(callLoad, c.LoadStart != 0 || c.LoadEnd != 0)
	for i, d := range pace(c) {
		set(callPace<<i, *d != nil)
	}
	b = binary.AppendUvarint(b, bits)
	b = appendString(b, c.Model)
	b = appendString(b, c.Provider)
	b = appendString(b, c.Server)
	for _, n := range []int64{c.Start - start, c.End - c.Start, int64(c.KeepAlive), c.Input, c.Output, c.Cached} {
		b = binary.AppendVarint(b, n)
	}
	if bits&callNumCtx != 0 {
		b = binary.AppendVarint(b, c.NumCtx)
	}
	if bits&callLoad != 0 {
		b = binary.AppendVarint(b, c.LoadStart-start)
		b = binary.AppendVarint(b, c.LoadEnd-c.LoadStart)
	}
	for _, d := range pace(c) {
		if *d != nil {
			b = binary.AppendVarint(b, int64(**d))
		}
	}
	return b
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// appendCount tells an empty list from none.
func appendCount(b []byte, n int, none bool) []byte {
	if none {
		return append(b, 0)
	}
	return binary.AppendUvarint(b, uint64(n)+1)
}
