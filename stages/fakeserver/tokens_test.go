package fakeserver

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      nil,
		" this also":            {" this", " also"},
		"one, two":              {"one", ",", " two"},
		"incomprehensible word": {"incompre", "hensible", " word"},
		"a  b\n":                {"a", " ", " b", "\n"},
		"für 日本":                {"für", " 日本"},
	} {
		if diff := cmp.Diff(want, split(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("one, two  three\n日本 \xff")
	f.Fuzz(func(t *testing.T, text string) {
		tokens := split(text)
		if got := strings.Join(tokens, ""); got != text {
			t.Errorf("%q became %q", text, got)
		}
		for _, token := range tokens {
			if token == "" {
				t.Errorf("%q has an empty token", text)
			}
		}
	})
}

func FuzzGraphQL(f *testing.F) {
	f.Add(`{ Get { Doc(nearVector: {vector: [0.1, -2e3]}, limit: 2) { text _additional { id distance } } } }`)
	f.Add(`query Q { Get { A { b { c } } B(where: {x: [1 {y: "z"}]}) {} } }`)
	f.Add(`{Get{A(x:[[[[`)
	f.Fuzz(func(t *testing.T, query string) {
		gets, err := parseGet(query)
		for _, g := range gets {
			if err == nil && g.class == "" {
				t.Errorf("%q: a class without a name", query)
			}
		}
	})
}
