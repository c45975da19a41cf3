package recording

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages"
)

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`hello`:                       "not an exchange recording",
		`{"name":"x"}`:                "request_path",
		`{"request_path":"api/chat"}`: "request_path",
		`{"request_path":"/x","response":{"status":null,"writes":[{"at_ms":1,"data":"x"}]}}`:                     "no \"status\"",
		`{"request_path":"/x","response":{"status":200,"writes":[{"at_ms":2,"data":"x"},{"at_ms":1}]}}`:          "write 1",
		`{"request_path":"/x","response":{"status":200,"writes":[{"at_ms":2,"data":"x","repeat":99999999999}]}}`: "repeat",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", text, err, want)
		}
	}
}

// TestWriteReadsBack wants what was written to mean the same when it is read.
func TestWriteReadsBack(t *testing.T) {
	for name, rec := range exchanges(t) {
		var buf bytes.Buffer
		if _, err := rec.WriteTo(&buf); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := Read(&buf)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(asMap(t, NewResult(rec.Replay())), asMap(t, NewResult(again.Replay()))); diff != "" {
			t.Errorf("%s (-first +again):\n%s", name, diff)
		}
	}
}

func TestMillis(t *testing.T) {
	if d := Millis(0.0004321).Duration(); d != 432*time.Nanosecond {
		t.Errorf("0.0004321 ms is %v, want 432ns", d)
	}
	if ms := MillisOf(20333333 * time.Nanosecond); ms != 20.333 {
		t.Errorf("20333333 ns is %v ms, want 20.333", ms)
	}
}

// TestNoAnswer: a server that cannot be reached is an error of the connection, a client that leaves first cancels.
func TestNoAnswer(t *testing.T) {
	rec := &Recording{RequestPath: "/api/chat", RequestBody: `{"model":"m"}`, WroteHeaders: 1}
	f := rec.Replay()
	if f.Status != stages.StatusError || f.Error != errNoAnswer.Error() || f.Stage != stages.LLM {
		t.Errorf("got %s, %q, stage %q; want an error of the LLM call", f.Status, f.Error, f.Stage)
	}
	left := Millis(5)
	rec.ClientClosed = &left
	if f := rec.Replay(); f.Status != stages.StatusCancelled || f.Marks.End.D != 5*time.Millisecond {
		t.Errorf("got %s at %v, want cancelled at 5 ms", f.Status, f.Marks.End.D)
	}
}
