package main

import (
	"slices"
	"sync"
)

const (
	maxSessions = 1000 // sessions remembered; the one idle for longest is forgotten first
	maxMessages = 6    // messages remembered of each, newest last
)

// A history remembers the last messages of each session. The zero value is empty. It may be used concurrently.
type history struct {
	mu       sync.Mutex
	messages map[string][]message
	order    []string // sessions, the longest idle first
}

// get is what a session said so far. The session "" says nothing.
func (h *history) get(session string) []message {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.messages[session])
}

// add notes one question with its answer. Nothing is noted for the session "".
func (h *history) add(session, question, answer string) {
	if session == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.messages == nil {
		h.messages = make(map[string][]message)
	}
	all := append(h.messages[session], message{Role: "user", Content: question}, message{Role: "assistant", Content: answer})
	h.messages[session] = slices.Clone(all[max(0, len(all)-maxMessages):])

	h.order = append(slices.DeleteFunc(h.order, func(s string) bool { return s == session }), session)
	if len(h.order) > maxSessions {
		delete(h.messages, h.order[0])
		h.order = slices.Delete(h.order, 0, 1)
	}
}
