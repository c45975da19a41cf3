package stream

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"iter"
	"strings"
)

// Limits of what one body may unpack to: a body that grows beyond both is a bomb.
const (
	maxInflated      = 64 << 20
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

// NewInflater returns an Inflater for a Content-Encoding. It reports false for an encoding that it cannot read, and nil
// and true for one that changes nothing.
func NewInflater(contentEncoding string) (*Inflater, bool) {
	var open func(*inflateSource) (io.Reader, error)
	switch strings.ToLower(strings.TrimSpace(contentEncoding)) {
	case "", "identity":
		return nil, true
	case "gzip", "x-gzip":
		open = func(s *inflateSource) (io.Reader, error) { return gzip.NewReader(s) }
	case "deflate":
		open = openDeflate
	default:
		return nil, false
	}
	z := new(Inflater)
	z.next, z.stop = iter.Pull(z.source.inflate(open))
	return z, true
}

// openDeflate tells the deflate of RFC 9110, which has zlib's header, from the bare one that some servers send.
func openDeflate(s *inflateSource) (io.Reader, error) {
	r := bufio.NewReaderSize(s, 512)
	head, err := r.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}

// Write takes the next compressed bytes and hands on, piece by piece, what they unpack to. It retains neither. It reports
// false once the body cannot be unpacked.
func (z *Inflater) Write(p []byte, to func([]byte)) bool {
	z.in += int64(len(p))
	z.source.rest = p
	for !z.failed {
		out, more := z.next()
		if !more {
			z.failed = z.source.err != nil
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
}

// inflate unpacks until the end, yielding pieces, or nil when it needs more input.
func (s *inflateSource) inflate(open func(*inflateSource) (io.Reader, error)) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		s.yield = yield
		r, err := open(s)
		if err != nil {
			s.err = err
			return
		}
		buf := make([]byte, 4096)
		for {
			n, err := r.Read(buf)
			if n > 0 && !yield(buf[:n]) {
				return
			}
			if err != nil {
				if err != io.EOF {
					s.err = err
				}
				return
			}
		}
	}
}

func (s *inflateSource) wait() error {
	for len(s.rest) == 0 {
		if !s.yield(nil) {
			return io.ErrUnexpectedEOF
		}
	}
	return nil
}

// Read implements io.Reader.
func (s *inflateSource) Read(p []byte) (int, error) {
	if err := s.wait(); err != nil {
		return 0, err
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// ReadByte implements io.ByteReader, so that no reader puts a buffer before this one.
func (s *inflateSource) ReadByte() (byte, error) {
	if err := s.wait(); err != nil {
		return 0, err
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return b, nil
}
