package tracer

import (
	"container/list"
	"context"
	"strconv"
	"sync"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/tracer/attr"
)

// Limits on what a client can make the process remember.
const (
	maxSessions   = 16384
	maxSessionLen = 256 // bytes
)

// numbers counts the questions of each session, whichever middleware they come through.
var numbers counter

// A counter gives the questions of each session their numbers. It remembers the sessions used last.
type counter struct {
	mu    sync.Mutex
	order list.List // of *counted, the one used last in front
	known map[sessionKey]*list.Element
}

// A sessionKey tells sessions apart that are recorded in different places, as tests do.
type sessionKey struct {
	provider trace.TracerProvider // nil: the global one
	session  string
}

type counted struct {
	sessionKey
	last int
}

// advance records that the session's question number n was asked, or the next one when n is 0, and returns the number. A
// session that is not remembered begins with 1.
func (c *counter) advance(session sessionKey, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[session]
	if ok {
		c.order.MoveToFront(e)
	} else {
		if c.known == nil {
			c.known = make(map[sessionKey]*list.Element)
		}
		e = c.order.PushFront(&counted{sessionKey: session})
		c.known[session] = e
		if len(c.known) > maxSessions {
			oldest := c.order.Remove(c.order.Back()).(*counted)
			delete(c.known, oldest.sessionKey)
		}
	}
	s := e.Value.(*counted)
	if n == 0 {
		n = s.last + 1
	}
	s.last = max(s.last, n)
	return n
}

// An identity is what every span of a question with a session carries. It does not change.
type identity struct {
	session string
	number  int
	attrs   [3]attribute.KeyValue // the conversation last: phase spans go without

	option      trace.SpanStartOption // attrs
	baggageOnce sync.Once
	baggage     []string // the value of the header
}

func newIdentity(session string, number int) *identity {
	id := &identity{session: session, number: number, attrs: [3]attribute.KeyValue{
		attr.QuestionNumber.Int(number),
		attr.SessionID.String(session),
		attr.ConversationID.String(session),
	}}
	id.option = trace.WithAttributes(id.attrs[:]...)
	return id
}

// start opens a span with o and the identity's attributes.
func (id *identity) start(ctx context.Context, t trace.Tracer, name string, o trace.SpanStartOption) (context.Context, trace.Span) {
	if id == nil {
		return t.Start(ctx, name, o)
	}
	return t.Start(ctx, name, o, id.option)
}

// all are the attributes of an ordinary span; none for a nil identity.
func (id *identity) all() []attribute.KeyValue {
	if id == nil {
		return nil
	}
	return id.attrs[:]
}

// plain are the attributes of a phase span, which carries nothing below gen_ai.
func (id *identity) plain() []attribute.KeyValue {
	if id == nil {
		return nil
	}
	return id.attrs[:2]
}

// header is the identity as the value of a baggage header, made once a question.
func (id *identity) header() []string {
	id.baggageOnce.Do(func() {
		s, err1 := baggage.NewMemberRaw(string(attr.SessionID), id.session)
		n, err2 := baggage.NewMemberRaw(string(attr.QuestionNumber), strconv.Itoa(id.number))
		if err1 == nil && err2 == nil {
			id.baggage = []string{s.String() + "," + n.String()}
		}
	})
	return id.baggage
}

// identityFrom reads the question that a caller's baggage names; nil when it names none.
func identityFrom(b baggage.Baggage) *identity {
	session := b.Member(string(attr.SessionID)).Value()
	number, err := strconv.Atoi(b.Member(string(attr.QuestionNumber)).Value())
	if err != nil || number < 1 || !validSession(session) {
		return nil
	}
	return newIdentity(session, number)
}

func validSession(s string) bool {
	return s != "" && len(s) <= maxSessionLen && utf8.ValidString(s)
}
