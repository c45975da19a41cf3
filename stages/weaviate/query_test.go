package weaviate

import (
	"strings"
	"testing"
)

func TestParseQuery(t *testing.T) {
	for text, want := range map[string]Query{
		"{Get{Docs(nearVector:{vector:[0.1,-2]} limit:5){text}}}":                                 {"Get", "Docs", true, 5},
		"{ Get { Docs ( limit : 5 , nearText: {concepts: [\"a\"]} ) { text } } }":                 {"Get", "Docs", true, 5},
		"query ($n: Int = 3) { Get { Docs(limit: $n, hybrid: {query: \"x\"}) { text } } }":        {"Get", "Docs", true, 0},
		"query Q @d(x: \"{\") { Get { Docs(nearObject: {id: \"x\"}) } }":                          {"Get", "Docs", true, 0},
		"# { Other {\n\ufeff{ Get { # x\n Docs { text } } }":                                      {"Get", "Docs", false, 0},
		"{ Get { a: Docs(bm25: {query: \"nearText: {limit: 7}\"}) { text } } }":                   {"Get", "Docs", false, 0},
		`{ Get { Docs(where: {path: ["x"], valueText: """ ") limit: 9 """}, limit: 2) {` + `x}}}`: {"Get", "Docs", false, 2},
		`{ Get { Docs(where: {valueText: "\") {", limit: 8}, ask: {question: "q"}) {x}}}`:         {"Get", "Docs", true, 0},
		"{ Explore(nearText: {concepts: [\"a\"]}, limit: 4) { beacon } }":                         {"Explore", "", true, 4},
		"{ Aggregate { Docs { meta { count } } } }":                                               {"Aggregate", "Docs", false, 0},
		"mutation { x }": {"x", "", false, 0},
		"{Get{Doc":       {"Get", "", false, 0}, // the name may go on
		"{Get{Docs(limit:3 nearVector:{vector:[0.1,": {"Get", "Docs", true, 3},
		"{Get{Docs(where:{operands:[{path:[\"a":      {"Get", "Docs", false, 0},
		"":                                           {},
		"{":                                          {},
		"{}":                                         {},
		"no text of that kind":                       {},
		"query ((((":                                 {},
	} {
		if got := ParseQuery(text); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add("query Q($a: [Float!]) { Get { x: Docs(where: {v: \"\"\"\\\"\"\" \"\"\"}, nearVector: {vector: $a}, limit: 5) } }")
	f.Add("{Get{\"")
	f.Fuzz(func(t *testing.T, text string) {
		q := ParseQuery(text)
		if strings.ContainsAny(q.Class+q.Function, " .[]{}()\"") {
			t.Fatalf("%+v", q) // the class becomes a path
		}
	})
}
