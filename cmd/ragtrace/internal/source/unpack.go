package source

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	gzipMagic = "\x1f\x8b"         // https://www.rfc-editor.org/rfc/rfc1952#page-6
	zstdMagic = "\x28\xb5\x2f\xfd" // https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
	// zstdWindow bounds what one stream may make the decoder keep. The usual levels need 8 MiB at most.
	zstdWindow = 64 << 20
)

// unpack is what is in r, packed with gzip or zstd or not at all.
func unpack(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case len(head) >= 2 && string(head[:2]) == gzipMagic:
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return &named{unpacked, "gzip"}, nil
	case string(head) == zstdMagic:
		unpacked, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return &named{unpacked, "zstd"}, nil
	}
	return r, nil
}

// A named reader says in which packing an error is.
type named struct {
	r    io.Reader
	name string
}

func (n *named) Read(p []byte) (int, error) {
	read, err := n.r.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", n.name, err)
	}
	return read, err
}

// firstByte is the first byte that is no white space, or 0. At most a buffer full of white space is looked at.
func firstByte(r *bufio.Reader) byte {
	for n := 64; ; n *= 2 {
		head, err := r.Peek(min(n, r.Size()))
		for _, c := range head {
			if !isSpace(c) {
				return c
			}
		}
		if err != nil || n >= r.Size() {
			return 0
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
