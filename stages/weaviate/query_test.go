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
		if got := ParseQuery(text, ""); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// TestParseQueryEnd reads texts of which the middle is missing.
func TestParseQueryEnd(t *testing.T) {
	for _, tt := range []struct {
		name, beginning, end string
		want                 Query
	}{
		{"a vector", "{Get{Docs(nearVector:{vector:[0.1,", "23,-0.4]} limit:5){text _additional{distance}}}}", Query{"Get", "Docs", true, 5}},
		{"a filter", "{Get{Docs(where:{valueText:[\"", "x\",\"y\"]} limit:5 nearVector:{vector:$v}){text}}}", Query{"Get", "Docs", true, 5}},
		{"a filter's text with brackets", "{Get{Docs(where:{valueText:\"", "({\"} limit:5){text}}}", Query{"Get", "Docs", false, 5}},
		{"a variable", "{Get{Docs(nearVector:{vector:[0.1,", "1]} limit:$n){text}}}", Query{"Get", "Docs", true, 0}},
		{"the limit is known", "{Get{Docs(limit:3 nearVector:{vector:[0.1,", "1]} after:\"x\"){text}}}", Query{"Get", "Docs", true, 3}},
		{"a limit of an inner list", "{Get{Docs(nearVector:{vector:[0.1,", "1]}){of(limit:7){... on A{x}}}}}", Query{"Get", "Docs", true, 0}},
		{"a limit in an argument", "{Get{Docs(nearVector:{vector:[0.1,", "1] x:{limit:7}}){text}}}", Query{"Get", "Docs", true, 0}},
		{"a field called so", "{Get{Docs(nearVector:{vector:[0.1,", "text limit: 5 nearby: x}}}", Query{"Get", "Docs", true, 0}},
		{"another class behind", "{Get{Docs(nearVector:{vector:[0.1,", "1]} limit:5){x} More(limit:6){x}}}", Query{"Get", "Docs", true, 5}},
		{"explore", "{Explore(nearVector:{vector:[0.1,", "1]} limit:5){beacon}}", Query{"Explore", "", true, 5}},
		{"lines", "query Q {\n Get {\n  Docs (\n nearVector: {vector: [0.1,\n", "0.2]\n }\n limit: 5\n ) {\n text\n }\n }\n}\n", Query{"Get", "Docs", true, 5}},
		{"strings that do not end", "{Get{Docs(nearVector:{vector:[0.1,", "1]} limit:5){\"x\" \"}}}", Query{"Get", "Docs", true, 0}},
	} {
		if got := ParseQuery(tt.beginning, tt.end); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add("query Q($a: [Float!]) { Get { x: Docs(where: {v: \"\"\"\\\"\"\" \"\"\"}, nearVector: {vector: $a}, limit: 5) } }")
	f.Add("{Get{\"")
	f.Fuzz(func(t *testing.T, text string) {
		for i := range len(text) {
			ParseQuery(text[:i], text[i:])
		}
		q := ParseQuery(text, "")
		if strings.ContainsAny(q.Class+q.Function, " .[]{}()\"") {
			t.Fatalf("%+v", q) // the class becomes a path
		}
	})
}
