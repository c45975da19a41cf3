package timings

import (
	"strings"
	"testing"
)

// TestNoAnswer: each thing that is no answer is called by its name.
func TestNoAnswer(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "is empty",
		"null":                         "is JSON, but no answer",
		"\xEF\xBB\xBF{}":               "is JSON, but no answer",
		`{"a":`:                        "is cut off: its JSON does not end within 5 bytes",
		": ping\n\n: ping\n\n":         "is a stream of events, but no answer",
		"data: [DONE]\n\n":             "is a stream of events, but no answer",
		"HTTP/1.1 200 OK\r\nContent-T": "is cut off inside its head",
		"\xff\xfe{\x00}\x00":           "is UTF-16, as PowerShell's > writes it: save the answer with curl -o",
		"curl: (7) Failed to connect":  "is not JSON, NDJSON or server-sent events",
		`{"error":"no such model"}`:    "is an error, not an answer: no such model",
	} {
		if _, err := Read(t.Context(), "x", strings.NewReader(in), false); err == nil || !strings.HasPrefix(err.Error(), "x "+want) {
			t.Errorf("%q: %v; want %q", in, err, want)
		}
	}
}
