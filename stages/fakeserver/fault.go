package fakeserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// A Script decides, for each request to a server, what goes wrong with it. n counts the server's requests from 1; body is
// the request's whole body. It is called from several goroutines at a time. A nil Script makes every request go well.
type Script func(n int, r *http.Request, body []byte) Fault

// A Fault is what goes wrong with one request. The zero value is nothing.
type Fault struct {
	// Delay holds the request before the server sees it, as a busy network or gateway would: no figure of the server's
	// answer has it.
	Delay time.Duration

	// Hang gives no answer at all; the request ends when the client leaves.
	Hang bool

	// Status, if not 0, is answered instead, with Body. A Body without a Status is answered with 200: for bodies that are
	// not what the API sends. ContentType is application/json unless given.
	Status      int
	Body        string
	ContentType string

	// The next ones happen to a model's answer when AfterLines lines or events with text have gone out, or right before the
	// one that finishes it if there are fewer. When an answer comes in one piece, of a model or not, Cut and Reset break it
	// off half-way, and Error and Crash are answered with status 500 by models.
	AfterLines int
	Cut        bool   // the connection closes before the body's end
	Reset      bool   // the connection is reset (over TCP; elsewhere it closes)
	Stop       bool   // the answer ends as if complete, without a finish
	Error      string // a stream goes on with this error and ends
	Crash      bool   // like Error, in the words of an Ollama whose runner died; the model has to be loaded again

	// WriteSize, if positive, sends everything in writes of so many bytes, wherever that cuts a line or a rune, with
	// WriteGap between two of them.
	WriteSize int
	WriteGap  time.Duration
}

// crashed is what Ollama says when the process that runs a model has died.
const crashed = "an error was encountered while running the model: unexpected EOF"

// errBroken ends a request whose connection a fault has to break.
var errBroken = errors.New("fakeserver: the script breaks the connection")

// errNoFinish ends an answer without its finish.
var errNoFinish = errors.New("fakeserver: the answer ends without a finish")

// A modelError is an answer's end by an error that the client is told.
type modelError string

func (e modelError) Error() string { return string(e) }

// midway returns the error by which the fault ends an answer midway, or nil.
func (f Fault) midway() error {
	switch {
	case f.Cut, f.Reset:
		return errBroken
	case f.Stop:
		return errNoFinish
	case f.Crash:
		return modelError(crashed)
	case f.Error != "":
		return modelError(f.Error)
	}
	return nil
}

// begin reads the request, asks the script and does what comes before the server's own work. It returns false if that was
// all of the answer. The body it returns is whole, so that the HTTP server can see the client leave.
func (s Script) begin(n int, w http.ResponseWriter, r *http.Request) (body []byte, f Fault, ok bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, Fault{}, false
	}
	if s != nil {
		f = s(n, r, bytes.Clone(body))
	}
	if wait(r.Context(), f.Delay) != nil {
		return nil, f, false
	}
	switch {
	case f.Hang:
		<-r.Context().Done()
		return nil, f, false
	case f.Status != 0 || f.Body != "":
		if f.ContentType == "" {
			f.ContentType = "application/json"
		}
		if f.Status == 0 {
			f.Status = http.StatusOK
		}
		w.Header().Set("Content-Type", f.ContentType)
		w.WriteHeader(f.Status)
		io.WriteString(f.writer(r.Context(), w), f.Body)
		return nil, f, false
	}
	return body, f, true
}

// writer returns where the answer's body goes: w, or one that cuts what it is given into small writes.
func (f Fault) writer(ctx context.Context, w http.ResponseWriter) io.Writer {
	if f.WriteSize <= 0 {
		return w
	}
	return &dripWriter{ctx: ctx, w: w, flush: http.NewResponseController(w).Flush, size: f.WriteSize, gap: f.WriteGap}
}

type dripWriter struct {
	ctx     context.Context
	w       io.Writer
	flush   func() error
	size    int
	gap     time.Duration
	started bool
}

func (d *dripWriter) Write(p []byte) (int, error) {
	for done := 0; done < len(p); {
		if d.started {
			if err := wait(d.ctx, d.gap); err != nil {
				return done, err
			}
		}
		d.started = true
		n, err := d.w.Write(p[done:min(done+d.size, len(p))])
		done += n
		if err == nil {
			err = d.flush()
		}
		if err != nil {
			return done, err
		}
	}
	return len(p), nil
}

// plain sends a whole answer with its length in the head if it is short, as net/http does, or breaks off midway.
func (f Fault) plain(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.WriteHeader(status)
	out := f.writer(r.Context(), w)
	if f.Cut || f.Reset {
		out.Write(body[:len(body)/2])
		f.breakOff(w)
	}
	out.Write(body)
}

// breakOff closes the connection in the middle of the answer. It does not return.
func (f Fault) breakOff(w http.ResponseWriter) {
	rc := http.NewResponseController(w)
	rc.Flush()
	if f.Reset {
		if conn, _, err := rc.Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				tcp.SetLinger(0) // closing now sends RST
			}
			conn.Close()
		}
	}
	panic(http.ErrAbortHandler)
}
