package tracer

import (
	"bufio"
	"io"
	"net"
	"net/http"

	"github.com/felixge/httpsnoop"
)

// wrap makes the writer that the handler gets. The two kinds of writer that net/http's servers hand out have types of
// their own, since a writer made of hooks costs 20 allocations; any other is left to httpsnoop, which knows all
// combinations.
func (r *recorder) wrap() http.ResponseWriter {
	_, pusher := r.below.(http.Pusher)
	if _, ok := r.below.(http1Interfaces); ok && !pusher {
		return http1Writer{commonWriter{r}}
	}
	_, hijacker := r.below.(http.Hijacker)
	if _, ok := r.below.(http2Interfaces); ok && !hijacker {
		return http2Writer{commonWriter{r}}
	}
	return httpsnoop.Wrap(r.below, httpsnoop.Hooks{
		WriteHeader: func(httpsnoop.WriteHeaderFunc) httpsnoop.WriteHeaderFunc { return r.writeHeader },
		Write:       func(httpsnoop.WriteFunc) httpsnoop.WriteFunc { return r.write },
		WriteString: func(httpsnoop.WriteStringFunc) httpsnoop.WriteStringFunc { return r.writeString },
		Flush:       func(httpsnoop.FlushFunc) httpsnoop.FlushFunc { return r.flush },
		FlushError:  func(httpsnoop.FlushErrorFunc) httpsnoop.FlushErrorFunc { return r.flushError },
		ReadFrom:    func(httpsnoop.ReadFromFunc) httpsnoop.ReadFromFunc { return r.readFrom },
		Hijack:      func(httpsnoop.HijackFunc) httpsnoop.HijackFunc { return r.hijack },
	})
}

type flushErrorer interface{ FlushError() error }

// commonInterfaces are those of both kinds.
type commonInterfaces interface {
	http.Flusher
	flushErrorer
	io.StringWriter
	//lint:ignore SA1019 old handlers still ask for it
	http.CloseNotifier
}

type http1Interfaces interface {
	commonInterfaces
	http.Hijacker
	io.ReaderFrom
}

type http2Interfaces interface {
	commonInterfaces
	http.Pusher
}

// A commonWriter has what both kinds have. Deadlines and full duplex are found through Unwrap.
type commonWriter struct{ rec *recorder }

func (w commonWriter) Header() http.Header               { return w.rec.below.Header() }
func (w commonWriter) WriteHeader(status int)            { w.rec.writeHeader(status) }
func (w commonWriter) Write(p []byte) (int, error)       { return w.rec.write(p) }
func (w commonWriter) WriteString(s string) (int, error) { return w.rec.writeString(s) }
func (w commonWriter) Flush()                            { w.rec.flush() }
func (w commonWriter) FlushError() error                 { return w.rec.flushError() }
func (w commonWriter) Unwrap() http.ResponseWriter       { return w.rec.below }
func (w commonWriter) CloseNotify() <-chan bool {
	//lint:ignore SA1019 see above
	return w.rec.below.(http.CloseNotifier).CloseNotify()
}

type http1Writer struct{ commonWriter }

func (w http1Writer) ReadFrom(src io.Reader) (int64, error)        { return w.rec.readFrom(src) }
func (w http1Writer) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.rec.hijack() }

type http2Writer struct{ commonWriter }

func (w http2Writer) Push(target string, opts *http.PushOptions) error {
	return w.rec.below.(http.Pusher).Push(target, opts)
}
