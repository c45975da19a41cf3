package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRerankSortsBySharedWords(t *testing.T) {
	none := passage{"Weather", "It rains."}
	one := passage{"Memory", "A model needs some."}
	two := passage{"Loading", "A MODEL, once loaded from disk, stays."}
	alsoOne := passage{"Disks", "A disk is slow."}
	found := []passage{none, one, two, alsoOne}

	got := rerank("Which model is read from a disk?", found, 3)
	// "model" and "disk" count, "from" too; "is" and "a" are too short.
	want := []passage{two, one, alsoOne}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(passage{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]passage{none, one, two, alsoOne}, found, cmp.AllowUnexported(passage{})); diff != "" {
		t.Errorf("the argument was changed:\n%s", diff)
	}
}

func TestRerankOfFewerThanAsked(t *testing.T) {
	if got := rerank("anything", []passage{{"a", "b"}}, 3); len(got) != 1 {
		t.Errorf("got %d passages, want 1", len(got))
	}
	if got := rerank("anything", nil, 3); len(got) != 0 {
		t.Errorf("got %d passages, want 0", len(got))
	}
}
