package tracer

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/ragtrace/ragtrace/stages"
)

// maxServers bounds what a transport remembers; a program talks to few.
const maxServers = 64

// servers remembers what servers told of themselves when the program asked them. Nothing is ever asked for its sake.
type servers struct {
	mu    sync.Mutex
	known atomic.Pointer[map[string]*stages.Server] // by host and port; never changed, only replaced
}

// of is what is known of a host, or nil.
func (s *servers) of(host string) *stages.Server {
	if known := s.known.Load(); known != nil {
		return (*known)[host]
	}
	return nil
}

// learn adds what a host told.
func (s *servers) learn(host string, told *stages.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := make(map[string]*stages.Server)
	if known := s.known.Load(); known != nil && len(*known) < maxServers {
		maps.Copy(next, *known)
	}
	next[host] = s.of(host).Merge(told)
	s.known.Store(&next)
}
