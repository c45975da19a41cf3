//go:build unix

package endtoend

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A uiSpan is a span as Jaeger's page is sent it. Times are whole microseconds.
type uiSpan struct {
	ID         string `json:"spanID"`
	Name       string `json:"operationName"`
	Start      int64  `json:"startTime"`
	Duration   int64  `json:"duration"`
	References []struct {
		Type string `json:"refType"`
		ID   string `json:"spanID"`
	}
	Tags []struct {
		Key   string
		Value any
	}
}

func (s uiSpan) end() int64 { return s.Start + s.Duration }

func (s uiSpan) parent() string {
	for _, r := range s.References {
		if r.Type == "CHILD_OF" {
			return r.ID
		}
	}
	return ""
}

func (s uiSpan) tag(key string) any {
	for _, t := range s.Tags {
		if t.Key == key {
			return t.Value
		}
	}
	return nil
}

// A section is the part of a span that lies on the critical path.
type section struct {
	Name     string
	From, To int64
}

// criticalPath is what Jaeger's page underlines: from the root's end back, it descends into the child that ends last, and goes
// on from that one's start with the sibling that ends last *before* it, strictly. Children are cut to their parents. It is
// written after components/TracePage/CriticalPath of jaeger-ui, whose comparison our phases have to satisfy.
func criticalPath(spans []uiSpan) []section {
	byID := make(map[string]uiSpan)
	for _, s := range spans {
		byID[s.ID] = s
	}
	var root string
	children := make(map[string][]uiSpan)
	// Parents are cut before their children.
	var cut func(id string)
	cut = func(id string) {
		parent := byID[id]
		for _, s := range spans {
			if s.parent() != id || s.ID == id {
				continue
			}
			from, to := max(s.Start, parent.Start), min(s.end(), parent.end())
			if s.Start >= parent.end() || s.end() <= parent.Start && s.Start < parent.Start {
				continue
			}
			s.Start, s.Duration = from, to-from
			byID[s.ID] = s
			children[id] = append(children[id], s)
			cut(s.ID)
		}
		slices.SortStableFunc(children[id], func(a, b uiSpan) int { return int(b.end() - a.end()) })
	}
	for _, s := range spans {
		if s.parent() == "" {
			root = s.ID
		}
	}
	cut(root)

	var path []section
	var walk func(id string)
	walk = func(id string) {
		s := byID[id]
		at := s.end()
		first := true
		for _, child := range children[id] {
			if !first && child.end() >= at { // the strict comparison
				continue
			}
			path = append(path, section{s.Name, child.end(), at})
			walk(child.ID)
			at, first = child.Start, false
		}
		path = append(path, section{s.Name, s.Start, at})
	}
	walk(root)
	return path
}

// What touches is lost, as it is on Jaeger's page; what ends a microsecond earlier is not.
func TestCriticalPathLosesWhatTouches(t *testing.T) {
	trace := func(gap int64) []uiSpan {
		below := func(parent string, s uiSpan) uiSpan {
			s.References = append(s.References, struct {
				Type string `json:"refType"`
				ID   string `json:"spanID"`
			}{"CHILD_OF", parent})
			return s
		}
		return []uiSpan{
			{ID: "1", Name: "llm", Start: 1000, Duration: 1000},
			below("1", uiSpan{ID: "2", Name: "load", Start: 1000, Duration: 200 - gap}),
			below("1", uiSpan{ID: "3", Name: "prefill", Start: 1200, Duration: 300 - gap}),
			below("1", uiSpan{ID: "4", Name: "decode", Start: 1500, Duration: 500}),
		}
	}
	for gap, want := range map[int64][]section{
		0: {{"llm", 2000, 2000}, {"decode", 1500, 2000}, {"llm", 1200, 1500}, {"load", 1000, 1200}, {"llm", 1000, 1000}},
		1: {{"llm", 2000, 2000}, {"decode", 1500, 2000}, {"llm", 1499, 1500}, {"prefill", 1200, 1499}, {"llm", 1199, 1200}, {"load", 1000, 1199}, {"llm", 1000, 1000}},
	} {
		if diff := cmp.Diff(want, criticalPath(trace(gap))); diff != "" {
			t.Errorf("with %d µs between them (-want +got):\n%s", gap, diff)
		}
	}
}
