package fakeserver

import (
	"context"
	"net"
	"sync"
)

// Listen returns a listener in memory and the dialler that reaches it, whatever the address: for http.Server.Serve and
// http.Transport.DialContext inside a synctest bubble, where sockets cannot be used. The connections are net.Pipe's: they
// have deadlines but no buffer, so a writer waits for its reader.
func Listen() (net.Listener, func(ctx context.Context, network, address string) (net.Conn, error)) {
	l := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	return l, l.dial
}

type memoryListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *memoryListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: l.Addr(), Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: l.Addr(), Err: ctx.Err()}
	}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "pipe" }
func (memoryAddr) String() string  { return "fakeserver" }
