package main

import (
	"io"
	"net/http"
	"sync"

	ot "github.com/opentracing/opentracing-go"
	"github.com/opentracing/opentracing-go/ext"
)

// An upstream makes a span of each request to Ollama, until its answer is read.
type upstream struct {
	tracer ot.Tracer
	base   http.RoundTripper
}

func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	server := ot.SpanFromContext(r.Context())
	span := u.tracer.StartSpan(r.Method, ot.ChildOf(server.Context()), ext.SpanKindRPCClient)
	ext.PeerService.Set(span, "ollama")
	ext.HTTPMethod.Set(span, r.Method)
	ext.HTTPUrl.Set(span, r.URL.Scheme+"://"+r.URL.Host+r.URL.Path)
	r = r.Clone(r.Context())
	if err := u.tracer.Inject(span.Context(), ot.HTTPHeaders, ot.HTTPHeadersCarrier(r.Header)); err != nil {
		ext.LogError(span, err) // Ollama does not mind
	}
	resp, err := u.base.RoundTrip(r)
	if err != nil {
		ext.LogError(span, err)
		span.Finish()
		return nil, err
	}
	tagStatus(span, resp.StatusCode)
	if resp.StatusCode == http.StatusSwitchingProtocols { // the body is a connection
		span.Finish()
		return resp, nil
	}
	resp.Body = &spanBody{ReadCloser: resp.Body, span: span}
	return resp, nil
}

// A spanBody finishes a span when it is closed.
type spanBody struct {
	io.ReadCloser
	span ot.Span
	once sync.Once
}

func (b *spanBody) Close() error {
	b.once.Do(b.span.Finish)
	return b.ReadCloser.Close()
}
