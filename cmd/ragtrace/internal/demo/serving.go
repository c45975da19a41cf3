package demo

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// serving is the demo's own servers.
type serving struct {
	servers []*http.Server
	running sync.WaitGroup
}

// start serves handler on a free port of the loopback interface.
func (s *serving) start(handler http.Handler) (url string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	s.servers = append(s.servers, server)
	s.running.Go(func() { _ = server.Serve(l) }) // which ends by stop alone
	return "http://" + l.Addr().String(), nil
}

// stop ends the servers, the one that was started last first, and returns when they have ended.
func (s *serving) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, server := range slices.Backward(s.servers) {
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // somebody does not leave
		}
	}
	s.running.Wait()
}
