package tracer

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recognise"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

var errPanicked = errors.New("the underlying transport panicked")

// A call is one round trip and the reading of its answer.
type call struct {
	cfg       *config
	servers   *servers
	tracer    trace.Tracer
	q         *Question
	ctx       context.Context // carries span
	span      trace.Span
	obs       *recognise.Observer
	start     time.Time // offsets count from here
	host      string
	port      int
	authority string // of the URL: host and port as written
	method    string
	url       *url.URL // not changed; nil for a request without
	hooks     *hooks
	hooked    hookedContext
	cancel    <-chan struct{} // of the request; nil for most
	guess     guess

	showOnce sync.Once
	sent     func() (io.ReadCloser, error) // a copy of the request's body when it is in memory, else nil

	mu      sync.Mutex
	ended   bool
	unwatch func() bool // of the context
	place   int         // in q.calls
}

// A guess is what the head of a request makes of a call.
type guess struct {
	op     stages.Operation
	stage  stages.Stage
	system string
}

func (c *call) since() time.Duration { return time.Since(c.start) }

func (c *call) setHost(u *url.URL) {
	if u == nil {
		return
	}
	c.host, c.authority = u.Hostname(), u.Host
	switch port := u.Port(); {
	case port != "":
		c.port, _ = strconv.Atoi(port)
	case u.Scheme == "https":
		c.port = 443
	default:
		c.port = 80
	}
}

// head is the span's name and attributes as far as the request's head tells them.
func (c *call) head(req *http.Request) (string, []attribute.KeyValue) {
	api, op, stage, system := c.obs.Guess()
	room := 7
	if api != stages.APIUnknown {
		room = 14
	}
	attrs := make([]attribute.KeyValue, 0, room)
	c.method, c.url = methodOf(req.Method), req.URL
	attrs = append(attrs, semconv.HTTPRequestMethodKey.String(c.method))
	if c.host != "" {
		attrs = append(attrs, semconv.ServerAddress(c.host), semconv.ServerPort(c.port))
	}
	attrs = append(attrs, c.q.identity().all()...)
	if api == stages.APIUnknown {
		return c.method, c.unknown(attrs)
	}
	c.guess = guess{op, stage, system}
	f := c.guess.facts()
	return attr.Name(f), attr.Head(attrs, f, c.cfg.dup)
}

func (g guess) facts() *stages.Facts {
	return &stages.Facts{Operation: g.op, Stage: g.stage, System: g.system}
}

// unknown appends what says where a call went that nothing else tells of.
func (c *call) unknown(attrs []attribute.KeyValue) []attribute.KeyValue {
	if c.url == nil {
		return attrs
	}
	return append(attrs, semconv.URLFull(plainURL(c.url)))
}

// plainURL is u without what may be secret or content: user, query and fragment.
func plainURL(u *url.URL) string {
	plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
	return plain.String()
}

// answered takes over when the base has returned, and changes nothing of it but the body's wrapping.
func (c *call) answered(req, out *http.Request, resp *http.Response, err error) {
	defer guard()
	c.showRequest()
	if err != nil || resp == nil {
		c.fail(err)
		return
	}
	if resp.Request == out {
		resp.Request = req // as the caller would see it untraced
	}
	c.obs.Response(c.since(), resp.StatusCode, resp.Header)
	if resp.Body == nil || resp.Body == http.NoBody || resp.StatusCode == http.StatusSwitchingProtocols {
		c.end(stages.EndedEOF, nil)
		return
	}
	body := &body{resp.Body, c, resp}
	if !c.q.adopt(c) {
		runtime.AddCleanup(body, (*call).abandon, c)
	}
	resp.Body = body.outer()
	if c.ctx.Done() != nil {
		unwatch := context.AfterFunc(c.ctx, c.expired)
		c.mu.Lock()
		c.unwatch = unwatch
		ended := c.ended
		c.mu.Unlock()
		if ended {
			unwatch()
		}
	}
}

// expired ends a call whose context ended while its answer was being read.
func (c *call) expired() {
	c.end(stages.EndedClosed, c.ctx.Err())
}

// abandon ends a call whose answer nobody reads any more.
func (c *call) abandon() {
	c.end(stages.EndedClosed, nil, attr.FlagAbandoned)
}

// fail ends a call with an error, and tells an answer that the client gave up from one that broke.
func (c *call) fail(err error) {
	how := stages.EndedClosed
	deadline, limited := c.ctx.Deadline()
	switch {
	case c.ctx.Err() != nil:
		err = c.ctx.Err()
	case limited && !time.Now().Before(deadline): // the context's own timer is about to fire
		err = context.DeadlineExceeded
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case c.canceled():
		err = context.Canceled
	default:
		how = stages.EndedError
	}
	c.end(how, err)
}

// canceled reports whether the request was ended by the channel that came before contexts. Clients with a timeout use it.
func (c *call) canceled() bool {
	select {
	case <-c.cancel:
		return true
	default:
		return false
	}
}

// end closes the span, once.
func (c *call) end(how stages.Ended, err error, flags ...string) {
	at := c.since()
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return
	}
	c.ended = true
	unwatch := c.unwatch
	c.mu.Unlock()
	defer guard()
	if unwatch != nil {
		unwatch()
	}
	c.q.release(c)
	if how == stages.EndedClosed && err != nil {
		c.q.interrupt()
	}
	c.obs.End(at, how, err)
	f := c.obs.Facts()
	if f.Told != nil {
		c.servers.learn(c.authority, f.Told)
	}
	for _, flag := range flags {
		f.Flag(flag)
	}
	c.record(f, at, err)
}
