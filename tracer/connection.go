package tracer

import (
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// A connection is how a call came to its connection.
type connection struct {
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

// dial notes a new attempt.
func (n *connection) dial(addr string, at time.Duration) {
	for i := range n.dials {
		if !n.dials[i].begun {
			n.dials[i] = step{of: addr, start: at, begun: true}
			return
		}
	}
}

// dialled notes the attempt's outcome.
func (n *connection) dialled(addr string, at time.Duration, err error) {
	for i := range n.dials {
		if n.dials[i].of == addr {
			n.dials[i].done(at, err)
		}
	}
}

// onto adds whether the connection was there before, when that is known.
func (n *connection) onto(attrs []attribute.KeyValue) []attribute.KeyValue {
	if n.got {
		attrs = append(attrs, attr.ConnReused.Bool(n.reused))
	}
	return attrs
}

// phases are the steps of a new connection, appended to ps in the order of time. Of several addresses tried it is the one
// that answered, else the last that failed.
func (n *connection) phases(ps []stages.Phase) []stages.Phase {
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
