package main

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"

	ot "github.com/opentracing/opentracing-go"
	"github.com/opentracing/opentracing-go/ext"
	"github.com/opentracing/opentracing-go/log"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/opentracing"
)

// A gateway passes requests on to Ollama, and answers back as they come.
type gateway struct {
	tracer ot.Tracer
	proxy  *httputil.ReverseProxy
	slots  chan struct{} // one is taken by each request that was let through
}

// newGateway lets limit requests at a time through to ollama, by base.
func newGateway(tracer ot.Tracer, ollama *url.URL, limit int, base http.RoundTripper) *gateway {
	return &gateway{
		tracer: tracer,
		slots:  make(chan struct{}, limit),
		proxy: &httputil.ReverseProxy{
			Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(ollama) },
			Transport:      &upstream{tracer, base},
			FlushInterval:  -1, // a token that waits in a buffer is a token late
			ModifyResponse: answered,
			ErrorHandler:   unreachable,
		},
	}
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Without a parent, or with one that cannot be read, the trace begins here.
	parent, _ := g.tracer.Extract(ot.HTTPHeaders, ot.HTTPHeadersCarrier(r.Header))
	span := g.tracer.StartSpan(r.Method+" "+r.URL.Path, ext.RPCServerOption(parent), opentracing.Stage(stages.Gateway))
	ext.HTTPMethod.Set(span, r.Method)
	returned := false
	defer func() {
		if !returned { // the proxy panics when the answer breaks off
			ext.Error.Set(span, true)
		}
		span.Finish()
	}()
	// Otherwise the server closes the request's body when the answer begins, and an Ollama that answers while the proxy still
	// looks for the body's end has its answer cut off. HTTP/2 is like this anyway, and says that it cannot be told to.
	_ = http.NewResponseController(w).EnableFullDuplex()
	if err := g.admit(r.Context(), span); err == nil {
		defer g.leave()
		g.proxy.ServeHTTP(w, r.WithContext(ot.ContextWithSpan(r.Context(), span)))
	} else {
		ext.LogError(span, err) // the client has left
	}
	returned = true
}

// admit waits for a slot.
func (g *gateway) admit(ctx context.Context, span ot.Span) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	queue := g.tracer.StartSpan("gateway.queue", ot.ChildOf(span.Context()), opentracing.Stage(stages.Gateway))
	defer queue.Finish()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		ext.LogError(queue, ctx.Err())
		return ctx.Err()
	}
}

func (g *gateway) leave() { <-g.slots }

func answered(resp *http.Response) error {
	tagStatus(ot.SpanFromContext(resp.Request.Context()), resp.StatusCode)
	return nil
}

func tagStatus(span ot.Span, status int) {
	ext.HTTPStatusCode.Set(span, uint16(status))
	if status >= 500 {
		ext.Error.Set(span, true)
	}
}

func unreachable(w http.ResponseWriter, r *http.Request, err error) {
	span := ot.SpanFromContext(r.Context())
	tagStatus(span, http.StatusBadGateway)
	ext.LogError(span, err, log.String("message", "Ollama cannot be reached"))
	http.Error(w, "gateway: cannot reach Ollama: "+err.Error(), http.StatusBadGateway)
}
