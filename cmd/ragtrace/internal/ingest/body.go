package ingest

import (
	"errors"
	"io"
	"sync/atomic"
)

const (
	// maxBody bounds one request, unpacked. The SDKs send batches of 512 spans, some hundred kilobytes.
	maxBody = 16 << 20
	// maxMemory bounds the bodies of all requests that are being received or wait for their commit.
	maxMemory = 64 << 20

	firstBuffer = 64 << 10
)

var (
	errTooLarge = errors.New("the request is larger than 16 MiB")
	errBusy     = errors.New("too much is waiting to be stored, try again")
)

// A budget is memory that requests share. A request takes as its body arrives, not as its headers promise.
type budget struct{ free atomic.Int64 }

func (b *budget) take(n int) bool {
	if b.free.Add(-int64(n)) < 0 {
		b.give(n)
		return false
	}
	return true
}

func (b *budget) give(n int) { b.free.Add(int64(n)) }

// read reads a body of size bytes, or of an unknown size when it is negative. The body holds cap(body) of the budget,
// which the caller gives back whatever the error.
func (b *budget) read(r io.Reader, size int64) (body []byte, err error) {
	if size > maxBody {
		return nil, errTooLarge
	}
	first := firstBuffer
	if size >= 0 && size < firstBuffer {
		first = int(size) + 1 // the end is read without growing once more
	}
	for {
		if len(body) == cap(body) {
			// One byte more than allowed tells a body that is too large.
			grown := min(max(2*cap(body), first), maxBody+1)
			if !b.take(grown - cap(body)) {
				return body, errBusy
			}
			body = append(make([]byte, 0, grown), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > maxBody:
			return body, errTooLarge
		case err == io.EOF:
			return body, nil
		case err != nil:
			return body, err
		}
	}
}
