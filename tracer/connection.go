package tracer

import (
	"crypto/tls"
	"net/http/httptrace"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// A connection notes how a call came to its connection. Hooks may be called by several goroutines, and after the call.
type connection struct {
	mu     sync.Mutex
	got    bool
	reused bool
	dns    step
	dials  [4]step // addresses are tried side by side; further ones are not noted
	tls    step
}

// A step is a part of a connection's set-up, in offsets from the call's start.
type step struct {
	of         string // the host or address
	start, end time.Duration
	begun, ok  bool
}

func (s *step) done(at time.Duration, err error) {
	if s.begun && s.end == 0 {
		s.end, s.ok = at, err == nil
	}
}

// trace are the hooks that note into n.
func (n *connection) trace(c *call) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) {
			c.obs.GotConn(c.since())
			n.mu.Lock()
			defer n.mu.Unlock()
			n.got, n.reused = true, i.Reused
		},
		WroteHeaders: func() { c.obs.WroteHeaders(c.since()) },
		WroteRequest: func(httptrace.WroteRequestInfo) {
			c.obs.WroteRequest(c.since())
			c.showRequest()
		},
		DNSStart: func(i httptrace.DNSStartInfo) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.dns = step{of: i.Host, start: c.since(), begun: true}
		},
		DNSDone: func(i httptrace.DNSDoneInfo) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.dns.done(c.since(), i.Err)
		},
		ConnectStart: func(_, addr string) {
			n.mu.Lock()
			defer n.mu.Unlock()
			for i := range n.dials {
				if !n.dials[i].begun {
					n.dials[i] = step{of: addr, start: c.since(), begun: true}
					return
				}
			}
		},
		ConnectDone: func(_, addr string, err error) {
			n.mu.Lock()
			defer n.mu.Unlock()
			for i := range n.dials {
				if n.dials[i].of == addr {
					n.dials[i].done(c.since(), err)
				}
			}
		},
		TLSHandshakeStart: func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.tls = step{of: c.host, start: c.since(), begun: true}
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.tls.done(c.since(), err)
		},
	}
}

// onto adds whether the connection was there before, when that is known.
func (n *connection) onto(attrs []attribute.KeyValue) []attribute.KeyValue {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.got {
		attrs = append(attrs, attr.ConnReused.Bool(n.reused))
	}
	return attrs
}

// phases are the steps of a new connection, appended to ps in the order of time. Of several addresses tried it is the one
// that answered, else the last that failed.
func (n *connection) phases(ps []stages.Phase) []stages.Phase {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.reused {
		return ps
	}
	var dial step
	for _, d := range n.dials {
		if d.end != 0 && !dial.ok {
			dial = d
		}
	}
	for _, s := range [...]struct {
		name string
		step
	}{{"DNS lookup ", n.dns}, {"socket connect ", dial}, {"TLS client handshake ", n.tls}} {
		if s.end != 0 {
			ps = append(ps, stages.Phase{Name: s.name + s.of, Stage: stages.Connect, Start: s.start, End: s.end, Source: stages.Measured})
		}
	}
	return ps
}
