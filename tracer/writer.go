package tracer

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// serverBuffer is what net/http holds back before it sends, when the handler does not flush: 4 KiB, for HTTP/1.1 and HTTP/2.
const serverBuffer = 4 << 10

// A recorder notes when the bytes of an answer go to the user. It passes every call on unchanged, and wrapped has exactly
// the optional interfaces of the writer below.
type recorder struct {
	wrapped http.ResponseWriter

	below   http.ResponseWriter
	ctx     context.Context // the request's
	mu      sync.Mutex      // handlers may flush from another goroutine
	status  int             // 200 until the handler says otherwise
	decided bool            // a final status was written
	bytes   int64
	held    int       // bytes since the last flush
	first   time.Time // when the first byte was sent
	last    time.Time // when the last flushed byte was
	flushed bool      // there was a flush after the first byte
	// streamed: a write followed such a flush.
	streamed   bool
	clientGone bool // a write failed, or came when the request's context had ended
}

func newRecorder(w http.ResponseWriter, ctx context.Context) *recorder {
	r := &recorder{below: w, ctx: ctx, status: http.StatusOK}
	r.wrapped = r.wrap()
	return r
}

func (r *recorder) writeHeader(status int) {
	r.writeStatus(status)
	r.below.WriteHeader(status)
}

func (r *recorder) writeStatus(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// Informational heads may be followed by others; a hijack is final.
	if !r.decided && (status >= 200 || status == http.StatusSwitchingProtocols) {
		r.status, r.decided = status, true
	}
}

func (r *recorder) flush() {
	r.below.(http.Flusher).Flush()
	r.sent(nil)
}

func (r *recorder) flushError() error {
	err := r.below.(flushErrorer).FlushError()
	r.sent(err)
	return err
}

func (r *recorder) writeString(s string) (int, error) {
	n, err := r.below.(io.StringWriter).WriteString(s)
	r.wrote(n, err)
	return n, err
}

func (r *recorder) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := r.below.(http.Hijacker).Hijack()
	if err == nil {
		r.writeStatus(http.StatusSwitchingProtocols)
	}
	return conn, rw, err
}

func (r *recorder) write(p []byte) (int, error) {
	n, err := r.below.Write(p)
	r.wrote(n, err)
	return n, err
}

func (r *recorder) readFrom(src io.Reader) (int64, error) {
	below := r.below.(io.ReaderFrom)
	if isFile(src) { // the server may hand it to the kernel, which a reader in between would prevent
		n, err := below.ReadFrom(src)
		r.wrote(int(n), err)
		return n, err
	}
	noter := &readNoter{Reader: src, rec: r}
	n, err := below.ReadFrom(noter)
	if noter.err != nil && errors.Is(err, noter.err) {
		r.wrote(0, nil) // the source broke off, not the way to the client
	} else {
		r.wrote(0, err)
	}
	return n, err
}

// isFile reports whether src is a file, or a part of one as [http.ServeContent] makes it.
func isFile(src io.Reader) bool {
	if part, ok := src.(*io.LimitedReader); ok {
		src = part.R
	}
	_, ok := src.(*os.File)
	return ok
}

// A readNoter notes what is read from a source that goes straight to the user.
type readNoter struct {
	io.Reader
	rec *recorder
	err error // that reading ended with
}

func (n *readNoter) Read(p []byte) (int, error) {
	c, err := n.Reader.Read(p)
	n.rec.wrote(c, nil)
	n.err = err
	return c, err
}

func (r *recorder) wrote(n int, err error) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.decided = true
	if gone(err) || n > 0 && r.ctx.Err() != nil {
		r.clientGone = true
	}
	if n <= 0 {
		return
	}
	r.streamed = r.streamed || r.flushed
	r.bytes += int64(n)
	r.held += n
	if r.held > serverBuffer && r.first.IsZero() {
		r.first = now
	}
}

func (r *recorder) sent(err error) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.decided = true
	if gone(err) {
		r.clientGone = true
		return
	}
	if r.held == 0 {
		return
	}
	if r.first.IsZero() {
		r.first = now
	}
	r.held, r.last, r.flushed = 0, now, true
}

// answer sums up when the handler has returned: the server now sends what it still holds, and the end of the body, for which
// a client waits unless it had as many bytes as were announced.
func (r *recorder) answer(now time.Time) answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := answer{first: r.first, last: r.last, end: now}
	if r.held > 0 {
		if a.first.IsZero() {
			a.first = now
		}
		a.last = now
	}
	if !a.last.IsZero() && r.below.Header().Get("Content-Length") == strconv.FormatInt(r.bytes, 10) {
		a.end = a.last
	}
	return a
}

// gone reports whether err is a failure to reach the client, and not a handler's mistake.
func gone(err error) bool {
	switch err {
	case nil, http.ErrBodyNotAllowed, http.ErrContentLength, http.ErrHijacked, http.ErrNotSupported:
		return false
	}
	return true
}
