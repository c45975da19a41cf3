package source

import (
	"regexp"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// Jaeger has no span end before or when it starts. It moves the end to a nanosecond after the start, and says so:
// https://github.com/jaegertracing/jaeger/blob/v1.76.0/internal/jptrace/sanitizer/negative_duration_santizer.go
const warningsKey = "@jaeger@warnings"

var movedEnd = regexp.MustCompile(`^Negative duration detected, .*Original end timestamp: (.+), adjusted to: `)

// unmend gives a span back the end that it was sent with, which is for the diagnosis to judge.
func unmend(s *model.Span) {
	warnings, _ := s.Attrs[warningsKey].([]any)
	if len(warnings) != 1 {
		return
	}
	text, _ := warnings[0].(string)
	m := movedEnd.FindStringSubmatch(text)
	if m == nil {
		return
	}
	end, err := time.Parse("2006-01-02 15:04:05.999999999 -0700 MST", m[1])
	if err != nil {
		return
	}
	s.End = max(end.UnixNano(), 0) // one that is too late for Go was read as one before 1970
	delete(s.Attrs, warningsKey)
	if len(s.Attrs) == 0 {
		s.Attrs = nil
	}
}
