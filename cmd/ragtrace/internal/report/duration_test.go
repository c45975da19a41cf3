package report

import (
	"testing"
	"time"
)

func TestDurationHasThreeDigitsAndTheUnitThatFits(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{
		{0, "0 ms"},
		{time.Nanosecond, "0 ms"},
		{4999 * time.Nanosecond, "0 ms"},
		{5 * time.Microsecond, "0.01 ms"},
		{420 * time.Microsecond, "0.42 ms"},
		{4214 * time.Microsecond, "4.21 ms"},
		{9994 * time.Microsecond, "9.99 ms"},
		{9996 * time.Microsecond, "10.0 ms"},
		{12345 * time.Microsecond, "12.3 ms"},
		{99_960 * time.Microsecond, "100 ms"},
		{843400 * time.Microsecond, "843 ms"},
		{999_600 * time.Microsecond, "1000 ms"},
		{1234 * time.Millisecond, "1230 ms"},
		{6900 * time.Millisecond, "6900 ms"},
		{9994 * time.Millisecond, "9990 ms"},
		{9995 * time.Millisecond, "10.0 s"},
		{12_440 * time.Millisecond, "12.4 s"},
		{99_960 * time.Millisecond, "100 s"},
		{754 * time.Second, "754 s"},
		{4321 * time.Second, "4320 s"},
		{-312 * time.Millisecond, "-312 ms"},
		{-12_440 * time.Millisecond, "-12.4 s"},
	}
	for _, tt := range tests {
		if got := Duration(tt.d); got != tt.want {
			t.Errorf("Duration(%v) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestSigned(t *testing.T) {
	for d, want := range map[time.Duration]string{
		312 * time.Millisecond:  "+312 ms",
		-312 * time.Millisecond: "-312 ms",
		time.Microsecond:        "0 ms",
		-time.Microsecond:       "0 ms",
		0:                       "0 ms",
	} {
		if got := Signed(d); got != want {
			t.Errorf("Signed(%v) = %q, want %q", d, got, want)
		}
	}
}
