package stream

import (
	"compress/flate"
	"errors"
	"io"
	"iter"
	"math"
	"strings"
)

// Limits of what one body may unpack to: a body that grows beyond both is a bomb.
const (
	maxInflated      = 8 << 20
	maxInflatedRatio = 200
)

// An Inflater unpacks a compressed body as it comes. It must be closed.
type Inflater struct {
	source inflateSource
	next   func() ([]byte, bool)
	stop   func()
	failed bool
	in     int64
	out    int64
}

var errStopped = errors.New("closed before the end")

// NewInflater returns an Inflater for a Content-Encoding. It reports false for an encoding that it cannot read, and nil
// and true for one that changes nothing.
func NewInflater(contentEncoding string) (*Inflater, bool) {
	var header func(*inflateSource) error
	switch strings.ToLower(strings.TrimSpace(contentEncoding)) {
	case "", "identity":
		return nil, true
	case "gzip", "x-gzip":
		header = gzipHeader
	case "deflate":
		header = zlibHeader
	default:
		return nil, false
	}
	z := new(Inflater)
	z.next, z.stop = iter.Pull(z.source.inflate(header))
	return z, true
}

// Write takes the next compressed bytes and hands on, piece by piece, what they unpack to. It retains neither. It reports
// false once the body cannot be unpacked.
func (z *Inflater) Write(p []byte, to func([]byte)) bool {
	z.in += int64(len(p))
	z.source.rest = p
	for !z.failed {
		out, more := z.next()
		if !more {
			z.failed = true
			break
		}
		if out == nil {
			break // wants more
		}
		to(out)
		z.out += int64(len(out))
		if z.out > maxInflated && z.out/maxInflatedRatio > z.in {
			z.failed = true
		}
	}
	z.source.rest = nil
	return !z.failed
}

// Close releases what the Inflater holds. It may be called again.
func (z *Inflater) Close() { z.stop() }

// An inflateSource is the compressed side: a reader inside a coroutine, which leaves the coroutine when it is dry.
type inflateSource struct {
	rest  []byte
	yield func([]byte) bool
	err   error

	members int     // headers read
	pushed  [2]byte // bytes to read again before rest
	pushedN int
}

// inflate unpacks until the end, yielding pieces, or nil when it needs more input. Checksums are left to the client, whose
// body it is; waiting for them would keep the last piece back.
func (s *inflateSource) inflate(header func(*inflateSource) error) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		s.yield = yield
		buf := make([]byte, 4096)
		for r := flate.NewReader(s); ; {
			if s.err = header(s); s.err != nil {
				if s.members > 1 {
					s.err = s.discard(math.MaxInt) // what follows a whole member is padding, or a checksum
				}
				return
			}
			if s.err = s.member(r, buf); s.err != nil {
				return
			}
			if s.err = r.(flate.Resetter).Reset(s, nil); s.err != nil {
				return
			}
		}
	}
}

// member unpacks one deflate stream.
func (s *inflateSource) member(r io.Reader, buf []byte) error {
	for {
		n, err := r.Read(buf)
		if n > 0 && !s.yield(buf[:n]) {
			return errStopped
		}
		switch err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

func (s *inflateSource) wait() error {
	for len(s.rest) == 0 {
		if !s.yield(nil) {
			return errStopped
		}
	}
	return nil
}

// Read implements io.Reader.
func (s *inflateSource) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if s.pushedN > 0 {
		b, err := s.ReadByte()
		p[0] = b
		return 1, err
	}
	if err := s.wait(); err != nil {
		return 0, err
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// ReadByte implements io.ByteReader, so that no reader puts a buffer before this one.
func (s *inflateSource) ReadByte() (byte, error) {
	if s.pushedN > 0 {
		b := s.pushed[len(s.pushed)-s.pushedN]
		s.pushedN--
		return b, nil
	}
	if err := s.wait(); err != nil {
		return 0, err
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return b, nil
}
