package timings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// maxInput is the most that is read of one input.
const maxInput = 256 << 20

// An input is the bytes of one input, and when each read of them returned.
type input struct {
	name  string
	data  []byte
	reads []read
	end   time.Duration // when there was no more, or nobody waited for it
	cut   bool          // reading was interrupted
	live  bool          // arrivals mean something
}

// A read ends at an offset of the data.
type read struct {
	at  time.Duration // since reading began
	end int
}

// Read reads one input to its end. Of a live one, a pipe, the moment of every read is kept; cancelling ctx ends it with
// what has come so far.
func Read(ctx context.Context, name string, r io.Reader, live bool) (*Result, error) {
	in := &input{name: name, live: live}
	if err := in.read(ctx, r); err != nil {
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	res, err := in.result()
	if err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	return res, nil
}

// read stamps each piece as it arrives. A read that hangs is left behind when ctx ends: a pipe cannot be told to stop.
func (in *input) read(ctx context.Context, r io.Reader) error {
	type piece struct {
		at  time.Duration
		p   []byte
		err error
	}
	pieces := make(chan piece, 64)
	start := time.Now()
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := r.Read(buf)
			at := time.Since(start)
			select {
			case pieces <- piece{at, bytes.Clone(buf[:n]), err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case p := <-pieces:
			if len(p.p) > 0 {
				in.data = append(in.data, p.p...)
				in.reads = append(in.reads, read{p.at, len(in.data)})
			}
			switch {
			case errors.Is(p.err, io.EOF):
				in.end = p.at
				return nil
			case p.err != nil:
				return p.err
			case len(in.data) > maxInput:
				return fmt.Errorf("is longer than %d MiB", maxInput>>20)
			}
		case <-ctx.Done():
			in.end, in.cut = time.Since(start), true
			return nil
		}
	}
}

// last is when the last bytes came.
func (in *input) last() time.Duration {
	if len(in.reads) == 0 {
		return 0
	}
	return in.reads[len(in.reads)-1].at
}
