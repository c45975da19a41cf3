package web

import (
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "a\tb\nc": "a\tb\nc", "\x00": `\u0000`, "\u202Eabc": `\u202eabc`, "\xff": `\xff`, "\ufffd": "\ufffd", "größe 😀": "größe 😀",
		"\x1b[31m": `\u001b[31m`, strings.Repeat("x", 121): strings.Repeat("x", 120) + "…", "\u2066": `\u2066`, "\ufeff": `\ufeff`,
	} {
		if got := shown(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		3570 * time.Millisecond: "4 s", 119 * time.Second: "119 s", 150 * time.Second: "3 min", 100 * time.Minute: "100 min",
		170 * time.Minute: "3 h", 60 * time.Hour: "3 days", 50 * time.Hour: "2 days",
	} {
		if got := roughly(d); got != want {
			t.Errorf("%v is roughly %q, want %q", d, got, want)
		}
	}
}

func FuzzShown(f *testing.F) {
	f.Add("\u202E<script>\x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := shown(text)
		if !utf8.ValidString(got) || len(got) > 11*longest+3 {
			t.Errorf("%q is shown as %q", text, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool {
			return unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && r != '\n' && r != '\t'
		}) {
			t.Errorf("%q is shown as %q", text, got)
		}
	})
}

// A filter that was read and written again chooses the same.
func FuzzFilter(f *testing.F) {
	f.Add("session=a&since=2026-06-02T09:00&slow=1")
	f.Add("until=2026-06-02&cold=x&model=%00")
	f.Fuzz(func(t *testing.T, query string) {
		q, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		first, err := readFilter(q)
		if err != nil {
			return
		}
		again, err := readFilter(first.query())
		if err != nil || again != first {
			t.Errorf("%q is read as %+v, and then as %+v, %v", query, first, again, err)
		}
	})
}

func TestPercent(t *testing.T) {
	for want, v := range map[string][2]float64{"0%": {0, 5}, "50%": {1, 2}, "33.33%": {1, 3}, "100%": {3, 3}, "0.1%": {1, 1000}} {
		if got := percent(v[0], v[1]); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	if got := percent(1, 0); got != "0%" {
		t.Errorf("of nothing: %s", got)
	}
}
