package tracer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// The request headers that a user interface sends with a question.
const (
	// HeaderEnter holds the milliseconds between the moment the user pressed Enter and the moment the request was sent, as a
	// decimal number from 0 to 86400000: two readings of the user's own clock, so that no other clock need be trusted.
	HeaderEnter = "Ragtrace-Enter"
	// HeaderSession holds the session, at most 256 bytes.
	HeaderSession = "Ragtrace-Session"
	// HeaderQuestion holds the question's number within the session, from 1.
	HeaderQuestion = "Ragtrace-Question"
)

// Middleware traces every request to next as one question. Wrap the handler that answers questions, not the whole server:
// a health check is no question. Nor is OPTIONS, with which a browser asks whether a page of another origin may send one.
//
// The question's span begins at Enter ([HeaderEnter]), else at the request's arrival, and ends with the answer: at the
// handler's return, when the server ends the body, or at the last flush when that completed a Content-Length. When
// a page has announced a report ([HeaderPage]), it ends with what that page painted last, as soon as that is known. It
// fails when the status is 400 or more, since then the question was not answered, when the handler panics (the panic goes
// on unchanged), or when the client has left before the answer was complete (error.type "canceled").
//
// Inside another [Middleware] it does nothing. Inside the question of another service see the package documentation.
func Middleware(next http.Handler, opts ...Option) http.Handler {
	return &middleware{next: next, cfg: newConfig(opts)}
}

// Gateway traces requests to next in a gateway between an application and its model server: a server span with the stage
// gateway, whose time outside the calls to the model server is the gateway's own.
func Gateway(next http.Handler, opts ...Option) http.Handler {
	return &middleware{next: next, cfg: newConfig(opts), gateway: true}
}

type middleware struct {
	next    http.Handler
	cfg     *config
	gateway bool
}

// maxEnter is a day in milliseconds.
const maxEnter = 24 * 60 * 60 * 1000

func (m *middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !m.gateway && strings.HasPrefix(r.URL.Path, pathOwn) {
		if r.URL.Path == PathPaint {
			paint(w, r)
		} else {
			m.next.ServeHTTP(w, r)
		}
		return
	}
	if QuestionFrom(r.Context()) != nil || !m.gateway && r.Method == http.MethodOptions {
		m.next.ServeHTTP(w, r)
		return
	}
	q, rec, r2 := m.begin(w, r)
	if q == nil {
		m.next.ServeHTTP(w, r)
		return
	}
	returned := false
	defer func() {
		var p any
		if !returned {
			p = recover()
		}
		// net/http removes the files of a multipart form that it finds on its own request.
		if r2.MultipartForm != nil {
			r.MultipartForm = r2.MultipartForm
		}
		m.finish(q, rec, r2, returned, p)
		if p != nil {
			panic(p)
		}
	}()
	m.next.ServeHTTP(rec.wrapped, r2)
	returned = true
}

// begin opens the span. It returns a nil question when its own code panicked.
func (m *middleware) begin(w http.ResponseWriter, r *http.Request) (q *Question, rec *recorder, r2 *http.Request) {
	defer guard()
	arrival := time.Now()
	local := trace.SpanFromContext(r.Context())
	h := announced(r)
	ctx := m.cfg.propagator().Extract(r.Context(), propagation.HeaderCarrier(h))
	page := pageOf(h)
	kind := trace.SpanKindServer
	if local.SpanContext().IsValid() && !local.SpanContext().IsRemote() {
		// The web framework has its own span for this request; the headers name that one's parent.
		ctx, kind = trace.ContextWithSpan(ctx, local), trace.SpanKindInternal
	} else if sc := trace.SpanContextFromContext(ctx); page != "" && sc.SpanID().String() == page {
		// The page records no span, so the question is the trace's root: it keeps the page's trace, and the sampler of this
		// process decides.
		ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{TraceID: sc.TraceID()}))
	}
	opening := &Question{cfg: m.cfg, tracer: m.cfg.tracer(), start: arrival, arrival: arrival}
	caller := identityFrom(baggage.FromContext(ctx))
	if caller != nil || m.gateway {
		opening.inside = true
		opening.id.Store(caller)
		ctx = opening.open(ctx, serverName(r), kind, m.serverAttrs(caller, r))
	} else {
		entered := h.Get(HeaderEnter)
		if page != "" && pages.has(page) {
			// An event stream that broke off, asked for again by the browser: nobody pressed Enter for it.
			page, entered = "", ""
		}
		opening.arrive(r, h, entered)
		if kind == trace.SpanKindServer {
			ctx = opening.begin(ctx, kind, httpAttrs(r)...)
		} else {
			ctx = opening.begin(ctx, kind)
		}
		if enter := arrival.Sub(opening.start); enter > spanGap {
			opening.enter = arrival.Add(-spanGap)
		}
		if page != "" && opening.span.IsRecording() {
			if pages.expect(page, opening) {
				opening.page = page
			} else {
				opening.flag(attr.FlagNoPaint)
			}
		}
	}
	rec = newRecorder(w, r.Context())
	return opening, rec, r.WithContext(ctx)
}

// arrive reads what the request and its headers h say of the question. entered is what they say of Enter.
func (q *Question) arrive(r *http.Request, h http.Header, entered string) {
	if entered != "" {
		ms, err := strconv.ParseFloat(entered, 64)
		if err == nil && ms >= 0 && ms <= maxEnter {
			q.start = q.arrival.Add(-milliseconds(ms))
		} else {
			q.flags = append(q.flags, attr.FlagBadEnter)
		}
	}
	session := h.Get(HeaderSession)
	if f := q.cfg.session; f != nil {
		if s := f(r); s != "" {
			session = s
		}
	}
	if session == "" {
		return
	}
	number := 0
	if v := h.Get(HeaderQuestion); v != "" {
		n, err := strconv.ParseInt(v, 10, 32)
		if err == nil && n >= 1 {
			number = int(n)
		} else {
			q.flags = append(q.flags, attr.FlagBadQuestion)
		}
	}
	if !q.identify(session, number) {
		q.flags = append(q.flags, attr.FlagBadSession)
	}
}

func (m *middleware) serverAttrs(caller *identity, r *http.Request) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 10)
	if m.gateway {
		attrs = append(attrs,
			attr.Stage.String(string(stages.Gateway)),
			attr.InsideLLM.Bool(false),
			attr.TimingSource.String(string(stages.Measured)),
			attr.SpanKind.String("CHAIN"))
	}
	attrs = append(attrs, caller.all()...)
	return append(attrs, httpAttrs(r)...)
}

func (m *middleware) finish(q *Question, rec *recorder, r *http.Request, returned bool, p any) {
	defer guard()
	now := time.Now()
	a := rec.answer(now)
	a.attrs = make([]attribute.KeyValue, 0, 5)
	if rec.decided || returned { // a handler that panics first answers nothing
		a.attrs = append(a.attrs, semconv.HTTPResponseStatusCode(rec.status))
	}
	if route := routeOf(r); route != "" {
		a.attrs = append(a.attrs, semconv.HTTPRoute(route))
		if q.inside {
			q.span.SetName(serverName(r))
		}
	}
	if !q.inside && !a.first.IsZero() {
		a.attrs = append(a.attrs, attr.AnswerStreamed.Bool(rec.streamed))
	}
	a.failure = q.outcome(rec, r.Context(), returned, p)
	if !q.enter.IsZero() {
		q.child(stages.Enter, q.start, q.enter)
	}
	q.end(a)
}

// outcome tells how the answer ended. A client that has left is told from one that closed its connection because it had
// everything: the latter interrupts nothing.
func (q *Question) outcome(rec *recorder, ctx context.Context, returned bool, p any) failure {
	q.mu.Lock()
	interrupted := q.interrupted
	q.mu.Unlock()
	left := ctx.Err() != nil && (rec.bytes == 0 || interrupted || !returned)
	switch {
	case rec.clientGone || left:
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return failure{"timeout", "the request's deadline passed before the answer was complete"}
		}
		return failure{canceled, "the client left before the answer was complete"}
	case p == http.ErrAbortHandler:
		return failure{"aborted", "the handler aborted the answer"}
	case !returned:
		return failure{"panic", fmt.Sprintf("the handler panicked with a value of type %T", p)}
	case rec.status >= 500, rec.status >= 400 && !q.inside:
		return failureOfStatus(rec.status)
	}
	return failure{}
}
