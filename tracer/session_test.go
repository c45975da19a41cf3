package tracer

import (
	"strconv"
	"testing"
)

func TestCounterForgetsTheSessionsUsedLongestAgo(t *testing.T) {
	var c counter
	at := func(i int) sessionKey { return sessionKey{session: strconv.Itoa(i)} }
	for i := range maxSessions {
		c.advance(at(i), 0)
	}
	if n := c.advance(at(0), 0); n != 2 {
		t.Errorf("the second question of a known session has number %d", n)
	}
	c.advance(at(maxSessions), 0) // pushes session 1 out, not 0
	if len(c.known) != maxSessions || c.order.Len() != maxSessions {
		t.Errorf("%d sessions are known, want %d", len(c.known), maxSessions)
	}
	if n := c.advance(at(1), 0); n != 1 {
		t.Errorf("a forgotten session goes on with %d", n)
	}
	if n := c.advance(at(0), 0); n != 3 {
		t.Errorf("a session in use goes on with %d, want 3", n)
	}
}

func TestCounterFollowsGivenNumbers(t *testing.T) {
	var c counter
	s := sessionKey{session: "s"}
	for i, step := range []struct{ given, want int }{{0, 1}, {7, 7}, {0, 8}, {2, 2}, {0, 9}} {
		if n := c.advance(s, step.given); n != step.want {
			t.Errorf("step %d: number %d, want %d", i, n, step.want)
		}
	}
}
