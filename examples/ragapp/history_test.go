package main

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistoryKeepsTheNewestMessages(t *testing.T) {
	var h history
	for i := 1; i <= 5; i++ {
		h.add("s", fmt.Sprint("q", i), fmt.Sprint("a", i))
	}
	want := []message{
		{"user", "q3"}, {"assistant", "a3"},
		{"user", "q4"}, {"assistant", "a4"},
		{"user", "q5"}, {"assistant", "a5"},
	}
	if diff := cmp.Diff(want, h.get("s")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := h.get("other"); len(got) != 0 {
		t.Errorf("another session has %v", got)
	}
}

func TestHistoryForgetsTheSessionIdleForLongest(t *testing.T) {
	var h history
	for i := range maxSessions {
		h.add(fmt.Sprint(i), "q", "a")
	}
	h.add("0", "q", "a") // now 1 is idle for longest
	h.add("new", "q", "a")
	if len(h.get("1")) != 0 {
		t.Error("the session idle for longest is still there")
	}
	if len(h.get("0")) == 0 || len(h.get("new")) == 0 {
		t.Error("a session that was used is gone")
	}
	if len(h.messages) != maxSessions || len(h.order) != maxSessions {
		t.Errorf("%d sessions in order %d, want %d", len(h.messages), len(h.order), maxSessions)
	}
}

func TestHistoryOfNoSessionIsEmpty(t *testing.T) {
	var h history
	h.add("", "q", "a")
	if got := h.get(""); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
