package tracer

import (
	"bytes"
	"io"
	"net/http"
	"reflect"
	"sync/atomic"
)

// maxShown is the longest body that is shown whole; a longer one is shown piece by piece as it is sent.
const maxShown = 16 << 20

// inMemory is the type of body that [http.NewRequest] makes of bytes and strings.
var inMemory = reflect.TypeOf(io.NopCloser((*bytes.Reader)(nil)))

// watchRequest arranges for the body of req, which is our own copy, to be shown to the observer. A body in memory is left
// as it is, since net/http sends such a one together with the head and any other on its own: a copy of it is read when it
// has been sent.
func (c *call) watchRequest(req *http.Request) {
	if req.Body == nil || req.Body == http.NoBody {
		return
	}
	if req.GetBody != nil && req.ContentLength <= maxShown && reflect.TypeOf(req.Body) == inMemory {
		c.sent = req.GetBody
		return
	}
	seen := new(atomic.Int64)
	req.Body = &sentBody{ReadCloser: req.Body, call: c, seen: seen}
	if get := req.GetBody; get != nil {
		req.GetBody = func() (io.ReadCloser, error) {
			b, err := get()
			if err != nil || b == nil || b == http.NoBody {
				return b, err
			}
			return &sentBody{ReadCloser: b, call: c, seen: seen}, nil
		}
	}
}

// showRequest shows a body that was in memory, once.
func (c *call) showRequest() {
	if c.sent == nil {
		return
	}
	c.showOnce.Do(func() {
		defer guard()
		b, err := c.sent()
		if err != nil {
			return
		}
		defer b.Close()
		// Such a body writes itself in one piece, without a copy.
		_, _ = b.(io.WriterTo).WriteTo((*requestSink)(c))
	})
}

// A requestSink is a call that the request's body is written to.
type requestSink call

func (c *requestSink) Write(p []byte) (int, error) {
	c.obs.RequestBody(p)
	return len(p), nil
}

// A sentBody shows a request's body as it is sent. When net/http sends it again on another connection, what was seen
// before is not shown twice.
type sentBody struct {
	io.ReadCloser
	call *call
	pos  int64
	seen *atomic.Int64 // how far the body has been shown
}

func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.show(p, n)
	return n, err
}

func (b *sentBody) show(p []byte, n int) {
	defer guard()
	if n <= 0 {
		return
	}
	seen := b.seen.Load()
	if skip := max(0, seen-b.pos); skip < int64(n) {
		b.call.obs.RequestBody(p[skip:n])
		b.seen.Store(b.pos + int64(n))
	}
	b.pos += int64(n)
}
