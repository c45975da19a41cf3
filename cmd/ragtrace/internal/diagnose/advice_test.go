package diagnose

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestAdviceCarriesAValueOfTheTrace asks for the advice of every case. The general line stands in explain; here belongs what
// this trace shows.
func TestAdviceCarriesAValueOfTheTrace(t *testing.T) {
	paths, err := filepath.Glob("testdata/verdict/*.otlp.json.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	seen := make(map[string]bool)
	for _, path := range paths {
		for _, h := range Judge(Cut(readSpans(t, path))).Verdict.Advice {
			seen[h.Cause] = true
			if h.Text == texts[h.Cause].advice || !strings.ContainsFunc(h.Text, unicode.IsDigit) || strings.Contains(h.Text, "\n") {
				t.Errorf("%s: %s: %q", filepath.Base(path), h.Cause, h.Text)
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("only %v were advised on", seen)
	}
}

func TestAdviceTellsWhatTheOthersTake(t *testing.T) {
	for _, tt := range []struct {
		change func(p *plan)
		cause  string
		want   string
	}{
		// Warm: search 30 ms, prefill 200 ms, decode 800 ms of 100 steps after the first token.
		{func(p *plan) { p.search = 2030 * ms }, causeSearchSlow, "(2030 ms in question 3 of session a, 30.0 ms in the others)."},
		{func(p *plan) { p.prefill = 2200 * ms }, causePrefillSlow, "(2200 ms in question 3 of session a, 200 ms in the others)."},
		{func(p *plan) { p.decode = 4000 * ms }, causeDecodeSlow, "(40.0 ms a token in question 3 of session a, 8.00 ms in the others)."},
		{func(p *plan) { p.gap = 3000 * ms }, causeAppGap, "(3000 ms in question 3 of session a, none in the others)."},
		{func(p *plan) { p.prompt = 1000 * ms }, causeApp, "(1010 ms in question 3 of session a, 10.0 ms in the others)."},
	} {
		v := Judge(Cut(play(6, func(i int, p *plan) {
			if i == 3 {
				tt.change(p)
			}
		}))).Verdict
		if len(v.Advice) != 1 || v.Advice[0].Cause != tt.cause || !strings.HasSuffix(v.Advice[0].Text, tt.want) {
			t.Errorf("%s: %+v, want %s", tt.cause, v.Advice, tt.want)
		}
	}
}
