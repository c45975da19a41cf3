package ingest_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
)

func TestReadFile(t *testing.T) {
	badSpan := strings.Replace(oneSpan, "eee19b7ec3c1b174", "eee1", 1)
	for name, c := range map[string]struct {
		text  string
		spans int
		errs  []string // how they begin
	}{
		"one":            {oneSpan, 1, nil},
		"one a line":     {oneSpan + "\n" + oneSpan + "\n", 2, nil},
		"empty":          {"", 0, nil},
		"one bad span":   {oneSpan + "\n" + badSpan + "\n" + oneSpan, 2, []string{"line 3: 1 spans refused (1: malformed)"}},
		"a broken line":  {oneSpan + "\n{\"resourceSpans\":[", 1, []string{"line 3: unexpected EOF"}},
		"something else": {"a,b\n", 0, []string{"line 1: invalid character 'a'"}},
	} {
		for _, how := range []string{"plain", "gzip"} {
			t.Run(name+", "+how, func(t *testing.T) {
				raw := []byte(c.text)
				if how == "gzip" {
					raw = packed(t, raw)
				}
				spans := 0
				var errs []string
				for batch, err := range ingest.ReadFile(bytes.NewReader(raw)) {
					if err != nil {
						errs = append(errs, err.Error())
					}
					spans += len(batch)
				}
				if spans != c.spans || len(errs) != len(c.errs) || len(errs) > 0 && !strings.HasPrefix(errs[0], c.errs[0]) {
					t.Errorf("%d spans and errors %q, want %d and %q", spans, errs, c.spans, c.errs)
				}
			})
		}
	}
	for _, err := range ingest.ReadFile(io.MultiReader(bytes.NewReader([]byte{0x1f, 0x8b, 0}))) {
		if err == nil || !strings.HasPrefix(err.Error(), "gzip: ") {
			t.Errorf("error of a broken gzip file is %v", err)
		}
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add([]byte(oneSpan + "\n" + oneSpan))
	f.Add(packed(f, []byte(oneSpan)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for spans, err := range ingest.ReadFile(io.LimitReader(bytes.NewReader(raw), 1<<20)) {
			for _, s := range spans {
				if err != nil || s.TraceID.IsZero() || s.SpanID.IsZero() || s.Resource == nil || s.Scope == nil {
					t.Fatalf("span %+v, error %v", s, err)
				}
			}
		}
	})
}
