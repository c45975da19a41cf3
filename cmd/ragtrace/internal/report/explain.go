package report

import (
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// Causes lists all causes with a line on each.
func Causes(s Screen) error {
	t := table{Columns: []column{{Head: "cause"}, {Head: "what it is"}}}
	for _, cause := range diagnose.Causes() {
		text, _ := diagnose.Explain(cause)
		first, _, _ := strings.Cut(text, "\n")
		if short, _, more := strings.Cut(first, ". "); more {
			first = short + "."
		}
		t.Rows = append(t.Rows, []cell{{Text: cause}, {Text: first}})
	}
	_, err := s.Write([]byte(t.draw(s) + "\nragtrace explain CAUSE says how to verify one, and what to do.\n"))
	return err
}

// Explanation writes what is known of a cause. One that does not exist is an empty text.
func Explanation(s Screen, cause string) error {
	text, _ := diagnose.Explain(cause)
	var b strings.Builder
	b.WriteString(s.Paint(Bold, cause) + "\n")
	for line := range strings.SplitSeq(text, "\n") {
		head, rest, labelled := strings.Cut(line, ": ")
		if !labelled || strings.Contains(head, " ") && head != "Told by" {
			paragraph(&b, s, "", line)
			continue
		}
		b.WriteString("\n" + s.Paint(Bold, head) + "\n")
		paragraph(&b, s, "  ", rest)
	}
	_, err := s.Write([]byte(b.String()))
	return err
}
