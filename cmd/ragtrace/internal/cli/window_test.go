package cli

import (
	"slices"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

func TestMoment(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                          {},
		"90m":                       now.Add(-90 * time.Minute),
		"0s":                        now,
		"7d":                        now.AddDate(0, 0, -7),
		"2026-11-30T09:00:00Z":      now.Add(-3 * time.Hour),
		"2026-11-30T09:00:00+01:00": now.Add(-4 * time.Hour),
		"2026-11-30T09:00:00.5Z":    now.Add(-3*time.Hour + 500*time.Millisecond),
	} {
		if got, err := moment("since", text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"yesterday", "-5m", "5", "-1d", "1.5d", "d", "999999d", "2026-11-30", "30.11.2026"} {
		if got, err := moment("since", text, now); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestWindowHoldsItsStartAndNotItsEnd(t *testing.T) {
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	questions := diagnose.TableOf([]diagnose.Question{{Start: 0}, {Start: 1e9}, {Start: 2e9}, {Start: 3e9}})
	for _, tt := range []struct {
		w    window
		want []int64
	}{
		{window{}, []int64{0, 1e9, 2e9, 3e9}},
		{window{since: at(2)}, []int64{2e9, 3e9}},
		{window{until: at(2)}, []int64{1e9}},
		{window{since: at(1), until: at(3)}, []int64{1e9, 2e9}},
	} {
		var got []int64
		for row := range questions.Len() {
			if holds := tt.w.of(questions); holds == nil || holds(row) {
				got = append(got, questions.Start(row))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v holds those from %v, want %v", tt.w, got, tt.want)
		}
	}
}
