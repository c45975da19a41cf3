package tracer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// spanGap is left between two spans that are made from timestamps. Readers of critical paths compare whole microseconds and
// lose a span that ends when the next begins.
const spanGap = time.Microsecond

// A Question is one question being answered. Its methods may be called at the same time, and on nil, where they do nothing.
type Question struct {
	cfg     *config
	tracer  trace.Tracer
	ctx     context.Context // carries span
	span    trace.Span
	start   time.Time // of the span
	arrival time.Time // of the request, if there was one
	id      atomic.Pointer[identity]
	inside  bool      // the question was opened by another service
	enter   time.Time // the end of the enter span; zero when there is none
	page    string    // that will report what it painted; "" when none will

	mu          sync.Mutex
	ended       bool
	firstByte   time.Time
	calls       []*call // whose bodies are being read
	wrote       []wrote // the LLM calls that ended
	interrupted bool    // a call was cut short because its context ended
	flags       []string
}

type questionKey struct{}

// QuestionFrom is the question that ctx belongs to, or nil.
func QuestionFrom(ctx context.Context) *Question {
	q, _ := ctx.Value(questionKey{}).(*Question)
	return q
}

// Ask opens the span of a question in a program without an HTTP server: a command line, a worker. The question begins now.
// An empty session means none. Call [Question.End] when the answer is out.
func Ask(ctx context.Context, session string, opts ...Option) (context.Context, *Question) {
	q, inner := ask(ctx, session, opts)
	return inner, q
}

func ask(ctx context.Context, session string, opts []Option) (q *Question, inner context.Context) {
	inner = ctx
	defer guard()
	asked := &Question{cfg: newConfig(opts), start: time.Now()}
	asked.tracer = asked.cfg.tracer()
	if session != "" && !asked.identify(session, 0) {
		asked.flag(attr.FlagBadSession)
	}
	inner = asked.begin(ctx, trace.SpanKindInternal)
	return asked, inner
}

// Session is the question's session; "" when it has none.
func (q *Question) Session() string {
	if q == nil || q.id.Load() == nil {
		return ""
	}
	return q.id.Load().session
}

// Number is the question's number within its session, from 1; 0 when it has no session.
func (q *Question) Number() int {
	if q == nil || q.id.Load() == nil {
		return 0
	}
	return q.id.Load().number
}

// SetSession tells the session of a question whose request did not, and its number; 0 means to count. Call it before the
// first stage: spans made earlier go without. An empty session changes nothing. One that is longer than 256 bytes or no
// UTF-8 is not taken, and the span is flagged.
func (q *Question) SetSession(session string, number int) {
	if q == nil || q.inside || session == "" {
		return
	}
	defer guard()
	if !q.identify(session, number) {
		q.flag(attr.FlagBadSession)
		return
	}
	q.span.SetAttributes(q.id.Load().all()...)
}

// identify gives the question its session and number and reports whether they can be used. A number that was counted for
// the same session before is kept.
func (q *Question) identify(session string, number int) bool {
	if !validSession(session) || number < 0 {
		return false
	}
	if old := q.id.Load(); old != nil && old.session == session && (number == 0 || number == old.number) {
		return true
	}
	q.id.Store(newIdentity(session, numbers.advance(q.cfg.sessionKey(session), number)))
	return true
}

// FirstByte marks the moment when the first byte of the answer reached the user, in a program that uses [Ask]. The first
// call counts.
func (q *Question) FirstByte() {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.firstByte.IsZero() {
		q.firstByte = time.Now()
	}
}

// End ends the question that [Ask] opened: the last byte of the answer is out, or err says why there is none. Calls that
// were not read to their end are ended too. Only the first call counts.
func (q *Question) End(err error) {
	if q == nil {
		return
	}
	defer guard()
	q.mu.Lock()
	first := q.firstByte
	q.mu.Unlock()
	now := time.Now()
	q.end(answer{first: first, last: now, end: now, failure: failureOf(err)})
}

var kinds = [...]trace.SpanStartOption{
	trace.SpanKindInternal: trace.WithSpanKind(trace.SpanKindInternal),
	trace.SpanKindServer:   trace.WithSpanKind(trace.SpanKindServer),
	trace.SpanKindClient:   trace.WithSpanKind(trace.SpanKindClient),
}

// begin starts the question's span at q.start, with attrs besides its own.
func (q *Question) begin(ctx context.Context, kind trace.SpanKind, attrs ...attribute.KeyValue) context.Context {
	own := make([]attribute.KeyValue, 0, 10+len(attrs))
	own = append(own,
		attr.Stage.String(string(stages.Question)),
		attr.InsideLLM.Bool(false),
		attr.TimingSource.String(string(stages.Measured)),
		attr.OperationName.String(attr.OperationInvokeWorkflow),
		attr.SpanKind.String("CHAIN"))
	if p := q.cfg.pipeline; p != "" {
		own = append(own, attr.AgentName.String(p))
		if q.cfg.dup {
			own = append(own, attr.WorkflowName.String(p))
		}
	}
	own = append(append(own, q.id.Load().all()...), attrs...)
	return q.open(ctx, string(stages.Question), kind, own)
}

func (q *Question) open(ctx context.Context, name string, kind trace.SpanKind, attrs []attribute.KeyValue) context.Context {
	ctx, q.span = q.tracer.Start(ctx, name, kinds[kind], trace.WithTimestamp(q.start), trace.WithAttributes(attrs...))
	q.ctx = context.WithValue(ctx, questionKey{}, q)
	return q.ctx
}

// identity is nil when the question has no session.
func (q *Question) identity() *identity {
	if q == nil {
		return nil
	}
	return q.id.Load()
}

// SessionOf is the session and number of the question that ctx belongs to, be it opened here or, by its baggage, in
// another service. Without a session it reports false.
func SessionOf(ctx context.Context) (session string, number int, ok bool) {
	if q := QuestionFrom(ctx); q != nil {
		return q.Session(), q.Number(), q.Session() != ""
	}
	if id := identityFrom(baggage.FromContext(ctx)); id != nil {
		return id.session, id.number, true
	}
	return "", 0, false
}
