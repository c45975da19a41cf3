package stream

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFraming has a body in pieces, one a millisecond, and what is said of it.
func TestFraming(t *testing.T) {
	for _, tt := range []struct {
		name    string
		framing Framing
		cut     bool // the body did not end cleanly
		pieces  []string
		want    []string
	}{
		{"a line counts when its end has come", Lines, false,
			[]string{`{"a":1`, "}", "\n{\"a\":2}\n"}, []string{"a=1", "-- at 2", "a=2", "-- at 2"}},
		{"empty lines and CRLF", Lines, false, []string{"\r\n{\"a\":1}\r\n\n"}, []string{"a=1", "-- at 0"}},
		{"a last line without its end", Lines, false, []string{"{\"a\":1}\n", `{"a":2}`}, []string{"a=1", "-- at 0", "a=2", "-- at 1"}},
		{"the same, cut off", Lines, true, []string{"{\"a\":1}\n", `{"a":2}`}, []string{"a=1", "-- at 0", "a=2"}},
		{"half a last line", Lines, false, []string{`{"a":1`}, []string{"-- malformed at 0"}},
		{"a line end inside an object", Lines, false, []string{"{\"a\":\n1}\n{\"a\":2}\n"},
			[]string{"-- malformed at 0", "-- malformed at 0", "a=2", "-- at 0"}},
		{"two values on a line", Lines, false, []string{"{\"a\":1}{\"a\":2}\n{\"a\":3}\n"},
			[]string{"a=1", "-- malformed at 0", "a=3", "-- at 0"}},
		{"not a value", Lines, false, []string{"{\"a\":1}\noops\n{\"a\":2}\n"},
			[]string{"a=1", "-- at 0", "-- malformed at 0", "a=2", "-- at 0"}},
		{"byte order mark", Lines, false, []string{"\xEF\xBB", "\xBF{\"a\":1}\n"}, []string{"a=1", "-- at 1"}},

		{"a body", JSON, false, []string{"{\"a\":", "1}\n"}, []string{"a=1", "--"}},
		{"a body over several lines", JSON, false, []string{"{\n \"a\": 1\n}\n"}, []string{"a=1", "--"}},
		{"lines under a false name", JSON, false, []string{"{\"a\":1}\n", "{\"a\":2}\n"}, []string{"a=1", "-- at 0", "a=2", "-- at 1"}},
		{"a body cut off", JSON, true, []string{`{"a":1`}, nil},
		{"a whole body, then a broken connection", JSON, true, []string{`{"a":1}`}, []string{"a=1", "--"}},
		{"nothing", JSON, false, nil, nil},
		{"white space", JSON, false, []string{" \n"}, nil},

		{"events", Events, false, []string{"data: {\"a\":1}\n", "\n", "data:{\"a\":2}\n\n"},
			[]string{"a=1", "-- at 1", "a=2", "-- at 2"}},
		{"events with CR", Events, false, []string{"data: {\"a\":1}\r\rdata: {\"a\":2}\r", "\r"}, []string{"a=1", "-- at 0", "a=2", "-- at 1"}},
		{"CRLF over two reads", Events, false, []string{"data: {\"a\":1}\r", "\n\r", "\ndata: {\"a\":2}\r\n\r\n"},
			[]string{"a=1", "-- at 1", "a=2", "-- at 2"}},
		{"names, comments, ids", Events, false, []string{": ping\n\nevent: chat.start\nid: 1\nretry: 5\ndata: {\"a\":1}\n\ndata: {\"a\":2}\n\n"},
			[]string{"a=1", "-- at 0 event chat.start", "a=2", "-- at 0"}},
		{"a name without data", Events, false, []string{"event: ping\n\ndata: {\"a\":1}\n\n"}, []string{"a=1", "-- at 0"}},
		{"data over several lines", Events, false, []string{"data: {\"a\":\ndata: 1}\n\n"}, []string{"a=1", "-- at 0"}},
		{"done", Events, false, []string{"data: [DONE]\n\n", "data:  [DONE] \n\n"}, []string{"-- done at 0", "-- done at 1"}},
		{"done in two reads", Events, false, []string{"data: [DO", "NE]\n\n"}, []string{"-- done at 1"}},
		{"an array is not done", Events, false, []string{"data: [1]\n\n"}, []string{"-- at 0"}},
		{"text is no value", Events, false, []string{"data: hello\n\ndata: {\"a\":1}\n\n"}, []string{"-- malformed at 0", "a=1", "-- at 0"}},
		{"empty data", Events, false, []string{"data:\n\ndata\n\n"}, nil},
		{"a last event without its end", Events, false, []string{"data: {\"a\":1}\n"}, []string{"a=1", "-- at 0"}},
		{"the same without a line end", Events, false, []string{"data: [DONE]"}, []string{"-- done at 0"}},
		{"half a last event", Events, false, []string{"data: {\"a\":"}, nil},
		{"a last event cut off", Events, true, []string{"data: {\"a\":1}\n"}, []string{"a=1"}},
		{"error as a field", Events, false, []string{"error: {\"a\":1}\n\n"}, []string{"a=1", "-- at 0 event error"}},
		{"byte order mark before an event", Events, false, []string{"\xEF\xBB\xBFdata: {\"a\":1}\n\n"}, []string{"a=1", "-- at 0"}},
		{"events under a false name", JSON, false, []string{"data: {\"a\":1}\n\n"}, []string{"a=1", "-- at 0"}},
		{"lines that claim to be events", Events, false, []string{"{\"a\":1}\n{\"a\":2}\n"}, []string{"a=1", "-- at 0", "a=2", "-- at 0"}},
		{"a body that claims to be events", Events, false, []string{`{"a":1}`}, []string{"a=1", "--"}},
		{"plain text", JSON, false, []string{"internal server error\n"}, []string{"-- malformed"}},
		{"unknown fields are passed over", Events, false, []string{"x-y: z\ndata: {\"a\":1}\n\n"}, []string{"a=1", "-- at 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.Join(tt.want, "\n")
			if diff := cmp.Diff(want, split(tt.framing, !tt.cut, []string{"a"}, tt.pieces...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			text := strings.Join(tt.pieces, "")
			if diff := cmp.Diff(split(tt.framing, !tt.cut, []string{"a"}, text), bytewise(tt.framing, !tt.cut, []string{"a"}, text)); diff != "" {
				t.Errorf("byte by byte (-whole +bytes):\n%s", diff)
			}
		})
	}
}

func TestFramingOf(t *testing.T) {
	for contentType, want := range map[string]Framing{
		"application/x-ndjson": Lines, "application/x-ndjson; charset=utf-8": Lines, "application/jsonl": Lines,
		"text/event-stream": Events, "text/event-stream;charset=UTF-8": Events,
		"application/json": JSON, "": JSON, "text/plain": JSON, ";;;": JSON,
	} {
		if got := FramingOf(contentType); got != want {
			t.Errorf("FramingOf(%q) is %d, want %d", contentType, got, want)
		}
	}
}

func TestNothingComesAfterClose(t *testing.T) {
	c := &capture{paths: []string{"a"}}
	s := NewSplitter(NewSchema("a"), Lines, c)
	s.Close(true)
	s.Write(0, []byte("{\"a\":1}\n"))
	s.Close(true)
	if c.String() != "" {
		t.Errorf("got %q after Close", c)
	}
}
