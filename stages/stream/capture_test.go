package stream

import (
	"fmt"
	"strings"
	"time"
)

// A capture writes down what a Splitter says, a line each.
type capture struct {
	paths []string
	lines []string
}

func (c *capture) Value(v Value) {
	s := fmt.Sprintf("%s=%s", strings.TrimSuffix(c.paths[v.Path], "#"), describe(v))
	if len(v.Key) > 0 {
		s = string(v.Key) + ":" + s
	}
	if v.Index > 0 {
		s += fmt.Sprintf(" @%d", v.Index)
	}
	c.lines = append(c.lines, s)
}

func describe(v Value) string {
	switch v.Kind {
	case Null:
		return "null"
	case Array:
		return fmt.Sprintf("[%d]", v.Len)
	case Object:
		return fmt.Sprintf("{%d}", v.Len)
	case String:
		if v.Truncated() {
			return fmt.Sprintf("%q of %d", v.Text, v.Len)
		}
		return fmt.Sprintf("%q", v.Text)
	}
	return string(v.Text)
}

func (c *capture) Document(d Document) {
	s := map[Outcome]string{Complete: "--", DoneMarker: "-- done", Malformed: "-- malformed"}[d.Outcome]
	if d.Stream {
		s += fmt.Sprintf(" at %d", d.At/time.Millisecond)
	}
	if len(d.Event) > 0 {
		s += " event " + string(d.Event)
	}
	c.lines = append(c.lines, s)
}

func (c *capture) String() string { return strings.Join(c.lines, "\n") }

// split reads pieces, piece i arriving at i milliseconds.
func split(framing Framing, clean bool, paths []string, pieces ...string) string {
	c := &capture{paths: paths}
	s := NewSplitter(NewSchema(paths...), framing, c)
	for i, p := range pieces {
		s.Write(time.Duration(i)*time.Millisecond, []byte(p))
	}
	s.Close(clean)
	return c.String()
}

// bytewise reads text byte by byte, all at one moment.
func bytewise(framing Framing, clean bool, paths []string, text string) string {
	c := &capture{paths: paths}
	s := NewSplitter(NewSchema(paths...), framing, c)
	for i := range len(text) {
		s.Write(0, []byte(text[i:i+1]))
	}
	s.Close(clean)
	return c.String()
}
