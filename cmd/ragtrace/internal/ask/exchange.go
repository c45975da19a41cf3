package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ragtrace/ragtrace/stages/recording"
	"github.com/ragtrace/ragtrace/tracer"
)

// maxAnswer is the most that is read of one answer.
const maxAnswer = 256 << 20

// errLong ends an exchange whose answer does not end.
var errLong = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)

// A sight is what the client sees of one exchange while it goes on. Moments are since t0, right before connecting.
type sight struct {
	t0 time.Time

	mu           sync.Mutex // the hooks are called by the transport's goroutines
	reused       bool
	connected    *recording.Millis
	wroteHeaders recording.Millis
	wroteRequest *recording.Millis

	head  time.Duration
	data  []byte // the body so far
	reads []read
}

// A read of the body ends at an offset of the data.
type read struct {
	at  time.Duration
	end int
}

func (s *sight) now() recording.Millis { return recording.MillisOf(time.Since(s.t0)) }

// hooks note the moments of sending. The header that says how long ago Enter was pressed is completed when there is a
// connection, right before it is sent.
func (s *sight) hooks(header http.Header) *httptrace.ClientTrace {
	locked := func(f func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		f()
	}
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			locked(func() {
				at := s.now()
				if s.connected == nil { // a second connection may come while the first is still being written to
					header[tracer.HeaderEnter] = []string{fmt.Sprintf("%.3f", at)}
				}
				if s.reused = info.Reused; s.reused {
					at = 0
				}
				s.connected = &at
			})
		},
		WroteHeaders: func() { locked(func() { s.wroteHeaders = s.now() }) },
		WroteRequest: func(httptrace.WroteRequestInfo) {
			locked(func() {
				at := s.now()
				s.wroteRequest = &at
			})
		},
	}
}

// exchange sends body to u and reads the answer to its end. The error is what went wrong for the client; the recording
// then shows how far it came.
func exchange(ctx context.Context, rt http.RoundTripper, u *url.URL, header http.Header, body string) (*recording.Recording, error) {
	s := &sight{data: make([]byte, 0, 64<<10), reads: make([]read, 0, 1024)}
	ctx = httptrace.WithClientTrace(ctx, s.hooks(header))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header
	if u.User != nil {
		password, _ := u.User.Password()
		req.SetBasicAuth(u.User.Username(), password)
	}
	s.t0 = time.Now()
	resp, err := rt.RoundTrip(req)
	s.head = time.Since(s.t0)
	if err == nil {
		err = s.read(resp.Body)
		resp.Body.Close()
	}
	rec := s.recording(ctx, req, resp, err)
	rec.RequestBody = body
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return rec, err
}

// read stamps each read as it returns. It ends with io.EOF at the clean end of the body.
func (s *sight) read(body io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		at := time.Since(s.t0)
		s.data = append(s.data, buf[:n]...)
		if n > 0 || err != nil {
			s.reads = append(s.reads, read{at, len(s.data)})
		}
		if err != nil {
			return err
		}
		if len(s.data) > maxAnswer {
			return errLong
		}
	}
}

// recording is what was seen.
func (s *sight) recording(ctx context.Context, req *http.Request, resp *http.Response, err error) *recording.Recording {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := &recording.Recording{
		Method: req.Method, RequestPath: req.URL.RequestURI(), T0UnixNS: s.t0.UnixNano(), Connection: "new",
		ConnectedMS: s.connected, WroteHeaders: s.wroteHeaders, WroteRequest: s.wroteRequest,
		Response: recording.Response{Writes: []recording.Write{}},
	}
	if s.reused {
		rec.Connection = "reused"
	}
	ended := recording.MillisOf(s.head)
	if resp != nil {
		head := ended
		rec.Response.Status, rec.Response.Head, rec.Response.Headers = &resp.StatusCode, &head, headers(resp)
		ended = s.writes(&rec.Response)
	}
	switch {
	case errors.Is(err, io.EOF):
		rec.Response.EOF = &ended
	case ctx.Err() != nil || errors.Is(err, errLong):
		rec.ClientClosed = &ended
	case resp != nil:
		rec.Response.EOF, rec.Response.Reset = &ended, true
	}
	return rec
}

// writes are the reads of the body; it returns the moment of the last one, which may have brought nothing but the end.
func (s *sight) writes(r *recording.Response) recording.Millis {
	from, last := 0, recording.MillisOf(s.head)
	for _, rd := range s.reads {
		last = recording.MillisOf(rd.at)
		if rd.end == from {
			continue
		}
		r.Writes = append(r.Writes, write(last, s.data[from:rd.end]))
		from = rd.end
	}
	return last
}

// headers are those of the answer, under lower-case names.
func headers(resp *http.Response) map[string]string {
	all := make(map[string]string, len(resp.Header))
	for name, values := range resp.Header {
		all[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return all
}

// newTransport is one whose exchanges are as they would be without it: nothing is asked for or unpacked by itself, and as
// many connections are kept as are used at a time.
func newTransport(connections int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	t.MaxIdleConnsPerHost = connections
	return t
}
