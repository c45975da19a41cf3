package recording

import (
	"math"
	"time"
)

// Millis is a time or duration in milliseconds, as the file has it.
type Millis float64

// Duration is m to the nanosecond.
func (m Millis) Duration() time.Duration { return time.Duration(math.Round(float64(m) * 1e6)) }

// MillisOf is d in milliseconds with three decimals.
func MillisOf(d time.Duration) Millis { return Millis(math.Round(float64(d)/1e3) / 1e3) }
