package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// TestEveryFlagHasWords reads the flags from where they are declared.
func TestEveryFlagHasWords(t *testing.T) {
	seen := 0
	for _, path := range []string{"../../../../stages/facts.go", "../diagnose/question.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(spec.Names[0].Name, "Flag") || spec.Names[0].Name == "FlagBad" { // a prefix
				return true
			}
			flag, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			if _, ok := flagWords[flag]; !ok {
				t.Errorf("no words for %s", flag)
			}
			return true
		})
	}
	if seen == 0 {
		t.Error("no flag is declared")
	}
}
