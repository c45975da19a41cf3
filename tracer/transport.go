package tracer

import (
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recognise"
)

// Transport traces the calls that go through base; a nil base is [http.DefaultTransport]. A call to a model server, a vector
// store or a reranker becomes a span of its stage with what the answer says of itself, the phases inside the server below
// it. Any other call is a plain HTTP client span without a stage.
//
// The request is cloned and sent with trace context. The response's body is passed on read for read. The span ends at the
// body's end, at Close, with an error, or when the request's context ends, whichever is first. A body that is neither read
// to its end nor closed keeps its span open until the question ends, or, outside a question, until the body is garbage
// collected; the span is then flagged abandoned. The answer to an upgrade (101) ends the span, and its connection passes
// untouched.
//
// Each round trip is one span: redirects and a client's own retries are further ones.
func Transport(base http.RoundTripper, opts ...Option) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{base: base, cfg: newConfig(opts)}
}

type transport struct {
	base    http.RoundTripper
	cfg     *config
	servers servers
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	c, out := t.begin(req)
	if c == nil {
		return t.base.RoundTrip(out)
	}
	returned := false
	defer func() {
		if !returned { // the base panics, which goes on
			c.end(stages.EndedError, errPanicked)
		}
	}()
	resp, err := t.base.RoundTrip(out)
	returned = true
	c.answered(req, out, resp, err)
	return resp, err
}

// CloseIdleConnections closes those of the base, if it can: [http.Client.CloseIdleConnections] asks for it.
func (t *transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// begin opens the span. It returns the request to send, and a nil call when nobody records it.
func (t *transport) begin(req *http.Request) (c *call, out *http.Request) {
	out = req
	defer guard()
	q := QuestionFrom(req.Context())
	//lint:ignore SA1019 net/http still sets it
	cl := &call{cfg: t.cfg, servers: &t.servers, q: q, start: time.Now(), cancel: req.Cancel}
	cl.setHost(req.URL)
	header := req.Header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	cl.obs = recognise.New(stages.Request{Method: req.Method, URL: req.URL, Header: header})
	if s := t.servers.of(cl.authority); s != nil {
		cl.obs.Server(s)
	}
	if q != nil && t.cfg.tracers == nil {
		cl.tracer = q.tracer
	} else {
		cl.tracer = t.cfg.tracer()
	}
	name, attrs := cl.head(req)
	cl.ctx, cl.span = cl.tracer.Start(req.Context(), name, kinds[trace.SpanKindClient],
		trace.WithTimestamp(cl.start), trace.WithAttributes(attrs...))
	inject(cl.ctx, t.cfg.propagator(), q.identity(), cl.host, header)
	if cl.span.IsRecording() || t.cfg.metrics.stage.Enabled(cl.ctx) {
		c = cl
		traced := req.WithContext(cl.attach())
		traced.Header = header
		cl.watchRequest(traced)
		return c, traced
	}
	traced := req.WithContext(cl.ctx)
	traced.Header = header
	return nil, traced
}
