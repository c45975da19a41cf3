package tracer

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"
	"sync"
)

// hooks are the functions that net/http calls on the way to a connection. Making them takes 15 allocations, half of what a
// call costs, so they are used again, but only when none of a call's can come after its end: when it had one connection,
// one that lay idle (so that none was dialled in the meantime), and its request was written.
type hooks struct {
	trace *httptrace.ClientTrace
	ctx   context.Context // carries trace and nothing else

	mu    sync.Mutex
	call  *call // nil between calls
	conn  connection
	conns int
	idle  bool
	sent  bool
}

var hooksPool = sync.Pool{New: func() any { return newHooks() }}

func newHooks() *hooks {
	h := new(hooks)
	h.trace = &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) {
			h.note(func(c *call) {
				c.obs.GotConn(c.since())
				h.conn.got, h.conn.reused = true, i.Reused
				h.conns, h.idle = h.conns+1, i.WasIdle
			})
		},
		WroteHeaders: func() { h.note(func(c *call) { c.obs.WroteHeaders(c.since()) }) },
		WroteRequest: func(httptrace.WroteRequestInfo) {
			h.note(func(c *call) {
				c.obs.WroteRequest(c.since())
				c.showRequest()
				h.sent = true
			})
		},
		DNSStart: func(i httptrace.DNSStartInfo) {
			h.note(func(c *call) { h.conn.dns = step{of: i.Host, start: c.since(), begun: true} })
		},
		DNSDone: func(i httptrace.DNSDoneInfo) {
			h.note(func(c *call) { h.conn.dns.done(c.since(), i.Err) })
		},
		ConnectStart: func(_, addr string) {
			h.note(func(c *call) { h.conn.dial(addr, c.since()) })
		},
		ConnectDone: func(_, addr string, err error) {
			h.note(func(c *call) { h.conn.dialled(addr, c.since(), err) })
		},
		TLSHandshakeStart: func() {
			h.note(func(c *call) { h.conn.tls = step{of: c.host, start: c.since(), begun: true} })
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			h.note(func(c *call) { h.conn.tls.done(c.since(), err) })
		},
	}
	h.ctx = httptrace.WithClientTrace(context.Background(), h.trace)
	return h
}

// note calls f while a call is attached, one at a time.
func (h *hooks) note(f func(*call)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.call != nil {
		f(h.call)
	}
}

// attach gives c its hooks, and returns the context that has them.
func (c *call) attach() context.Context {
	h := hooksPool.Get().(*hooks)
	h.mu.Lock()
	h.call = c
	h.mu.Unlock()
	c.hooks = h
	if httptrace.ContextClientTrace(c.ctx) != nil { // the caller's own are called too
		own := *h.trace
		return httptrace.WithClientTrace(c.ctx, &own)
	}
	c.hooked = hookedContext{c.ctx, h.ctx}
	return &c.hooked
}

// detach ends what the hooks do for c, and returns what they saw.
func (c *call) detach() connection {
	h := c.hooks
	h.mu.Lock()
	conn := h.conn
	over := h.conns == 1 && h.idle && h.sent
	h.call, h.conn, h.conns, h.idle, h.sent = nil, connection{}, 0, false, false
	h.mu.Unlock()
	if over {
		hooksPool.Put(h)
	}
	return conn
}

// A hookedContext is a call's context with hooks, like the one that [httptrace.WithClientTrace] makes.
type hookedContext struct {
	context.Context
	hooks context.Context
}

// Value implements [context.Context].
func (c *hookedContext) Value(key any) any {
	if v := c.hooks.Value(key); v != nil {
		return v
	}
	return c.Context.Value(key)
}
