package tracer

import (
	"testing"
	"time"
)

// An agent that makes a thousand calls takes no more room than one that makes a few, and its last calls are still told apart.
func TestRoomForCalls(t *testing.T) {
	begin := time.Now()
	at := func(s int) time.Time { return begin.Add(time.Duration(s) * time.Second) }
	var q Question
	for i := range 1000 {
		q.called(at(2*i), at(2*i+1))
	}
	if len(q.wrote) > 16 || cap(q.wrote) > 32 {
		t.Errorf("%d calls are remembered in room for %d, want 16 at most", len(q.wrote), cap(q.wrote))
	}
	for _, c := range []struct {
		what         string
		before, want int
	}{
		{"after all calls", 2500, 1999},
		{"within the last", 1999, 1999},
		{"before the last began", 1998, 1997},
		{"before the last two began", 1996, 1995},
		{"after the first began", 1, 1969}, // of 985 that became one
	} {
		if got := q.lastCall(at(c.before)); !got.Equal(at(c.want)) {
			t.Errorf("%s: the last call ended %v after the begin, want %d s", c.what, got.Sub(begin), c.want)
		}
	}
}
