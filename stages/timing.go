package stages

import "time"

// A Source says how a figure was obtained. It is the value of the span attribute ragtrace.timing.source.
type Source string

const (
	Unknown  Source = ""         // the figure is absent
	Measured Source = "measured" // our own clock or count
	Reported Source = "reported" // a field of the server's answer
	Derived  Source = "derived"  // arithmetic on both
)

// A Timing is a duration, or a moment as an offset from the exchange's start, with its source. The zero value is absent,
// which is not the same as zero.
type Timing struct {
	D      time.Duration
	Source Source
}

// Known reports whether t is present.
func (t Timing) Known() bool { return t.Source != Unknown }

// A Count is a number of tokens, hits or inputs with its source. The zero value is absent.
type Count struct {
	N      int64
	Source Source
}

// Known reports whether c is present.
func (c Count) Known() bool { return c.Source != Unknown }

// Report takes a number from a server's answer. One that is missing or negative, which is how some servers say that they do
// not know, changes nothing.
func (c *Count) Report(n int64, ok bool) {
	if ok && n >= 0 {
		*c = Count{N: n, Source: Reported}
	}
}

// maxDuration is the longest duration that a field may carry; more is a broken clock or another unit.
const maxDuration = 24 * time.Hour

// ReportedNanos reads a server's duration in nanoseconds. A value that is not positive or is longer than 24 h is absent
// and bad: old Ollama runners send the smallest and largest int64 when no token was made.
func ReportedNanos(ns int64) (t Timing, bad bool) {
	if ns <= 0 || ns > int64(maxDuration) {
		return Timing{}, true
	}
	return Timing{time.Duration(ns), Reported}, false
}

// ReportedMillis reads a server's duration in (fractions of) milliseconds, with the limits of ReportedNanos. Zero is
// legal here: whole milliseconds round down.
func ReportedMillis(ms float64) (t Timing, bad bool) {
	// Written so that NaN is bad.
	if !(ms >= 0 && ms <= float64(maxDuration/time.Millisecond)) {
		return Timing{}, true
	}
	return Timing{time.Duration(ms * float64(time.Millisecond)), Reported}, false
}

// ReportedSeconds reads a server's duration in (fractions of) seconds, like ReportedMillis.
func ReportedSeconds(s float64) (t Timing, bad bool) { return ReportedMillis(s * 1000) }
