package tracer

import (
	"io"
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
)

// A body passes an answer on read for read, and shows each piece to the call's observer. The call must not refer to it, or
// an abandoned body would never be collected.
type body struct {
	io.ReadCloser
	call *call
	resp *http.Response // for its trailer
}

// outer has the interfaces that the body below has.
func (b *body) outer() io.ReadCloser {
	if _, ok := b.ReadCloser.(io.WriterTo); ok {
		return writerToBody{b}
	}
	return b
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read(p, n, err)
	return n, err
}

// Close ends the span first: closing may take its time.
func (b *body) Close() error {
	b.call.end(stages.EndedClosed, nil)
	return b.ReadCloser.Close()
}

// read notes what came of one read.
func (b *body) read(p []byte, n int, err error) {
	defer guard()
	if n > 0 {
		b.call.obs.ResponseBody(b.call.since(), p[:n])
	}
	switch err {
	case nil:
	case io.EOF:
		if len(b.resp.Trailer) > 0 {
			b.call.obs.Trailer(b.resp.Trailer)
		}
		b.call.end(stages.EndedEOF, nil)
	default:
		b.call.fail(err)
	}
}

// A writerToBody is a body that can write itself.
type writerToBody struct{ *body }

func (b writerToBody) WriteTo(w io.Writer) (int64, error) {
	shown := &shownWriter{w: w, body: b.body}
	n, err := b.ReadCloser.(io.WriterTo).WriteTo(shown)
	switch {
	case shown.failed: // not the answer's fault; Close comes
	case err == nil:
		b.read(nil, 0, io.EOF)
	default:
		b.read(nil, 0, err)
	}
	return n, err
}

// A shownWriter shows the observer what it passes on.
type shownWriter struct {
	w      io.Writer
	body   *body
	failed bool
}

func (s *shownWriter) Write(p []byte) (int, error) {
	s.body.read(p, len(p), nil)
	n, err := s.w.Write(p)
	s.failed = s.failed || err != nil || n < len(p)
	return n, err
}
