package gate

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of JUnit's XML that CI systems read.
type (
	suitesXML struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Suite    suiteXML `xml:"testsuite"`
	}
	suiteXML struct {
		Name     string    `xml:"name,attr"`
		Tests    int       `xml:"tests,attr"`
		Failures int       `xml:"failures,attr"`
		Errors   int       `xml:"errors,attr"`
		Cases    []caseXML `xml:"testcase"`
	}
	caseXML struct {
		Name    string      `xml:"name,attr"`
		Class   string      `xml:"classname,attr"`
		Failure *failureXML `xml:"failure"`
	}
	failureXML struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the outcomes as one suite of tests. words says in words what an expression came to, and lines who broke
// it.
func WriteJUnit(w io.Writer, outcomes []Outcome, words func(Outcome) string, lines func(Outcome) []string) error {
	suite := suiteXML{Name: "ragtrace check", Tests: len(outcomes)}
	for _, o := range outcomes {
		c := caseXML{Name: o.Expr.Text, Class: "ragtrace.check"}
		if !o.Pass {
			suite.Failures++
			c.Failure = &failureXML{Message: words(o), Text: strings.Join(lines(o), "\n")}
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	out := xml.NewEncoder(w)
	out.Indent("", "  ")
	if err := out.Encode(suitesXML{Tests: suite.Tests, Failures: suite.Failures, Suite: suite}); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}
