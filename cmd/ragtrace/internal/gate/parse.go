package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/near"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// A SyntaxError is an expression that cannot be understood.
type SyntaxError struct {
	Text   string // the expression
	At     int    // the byte of Text where it goes wrong; its length when something is missing at the end
	Reason string // what was found there and what was expected
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%q: at %d: %s", e.Text, e.At+1, e.Reason)
}

// Parse reads an expression. The error is a *SyntaxError.
func Parse(text string) (*Expr, error) {
	p := parser{text: text}
	e := &Expr{Text: strings.TrimSpace(text)}
	if err := p.expr(e); err != nil {
		return nil, err
	}
	return e, nil
}

// A parser is at a place in a text. A token is a word, a quoted name, an operator, or one of ( ) , =.
type parser struct {
	text   string
	at     int
	whatAt int // where the metric, cost or status stands
}

func (p *parser) expr(e *Expr) error {
	if err := p.call(e); err != nil {
		return err
	}
	if err := p.operator(e); err != nil {
		return err
	}
	if err := p.limit(e); err != nil {
		return err
	}
	if p.skip(); p.at < len(p.text) {
		return p.fail(p.at, "the expression should end here; give each one as an argument of its own")
	}
	return nil
}

const functionNames = "p50, p95 (or any from p1 to p99), max, count, share, cold or failed"

// call reads function(what, argument ...).
func (p *parser) call(e *Expr) error {
	at := p.skip()
	name := strings.ToLower(p.word())
	switch n, isPercentile := percentileOf(name); {
	case isPercentile:
		e.function, e.percentile = percentile, n
	case name == "max":
		e.function = maximum
	case name == "share":
		e.function = share
	case name == "count":
		e.function = count
	case name == "cold":
		e.function = cold
	case name == "failed":
		e.function = failed
	case name == "":
		return p.fail(at, "expected "+functionNames)
	default:
		return p.fail(at, fmt.Sprintf("%s is no function: expected %s", name, functionNames))
	}
	if at := p.skip(); !p.take("(") {
		return p.fail(at, "expected ( after "+name)
	}
	first := true
	for p.skip(); !p.take(")"); p.skip() {
		if !first && !p.take(",") {
			return p.fail(p.at, "expected , or )")
		}
		if err := p.argument(e, first); err != nil {
			return err
		}
		first = false
	}
	return p.complete(e, name)
}

// percentileOf reads p1 to p99.
func percentileOf(name string) (float64, bool) {
	digits, ok := strings.CutPrefix(name, "p")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > 99 || digits != strconv.Itoa(n) {
		return 0, false
	}
	return float64(n), true
}

// complete checks that the function has what it works on.
func (p *parser) complete(e *Expr, name string) error {
	closing := p.at - 1
	switch {
	case e.function <= share && e.metric == nil:
		return p.fail(closing, fmt.Sprintf("%s needs a metric first: one of %s", name, strings.Join(p.metrics(e), ", ")))
	case e.function == share && !e.metric.Part:
		return p.fail(p.whatAt, fmt.Sprintf("%s is no part of E2E: expected one of %s", e.metric.Name,
			strings.Join(p.metrics(e), ", ")))
	}
	return nil
}

// metrics are the names that may stand in e.
func (p *parser) metrics(e *Expr) []string {
	return slices.DeleteFunc(stats.Names(), func(name string) bool {
		m, _ := stats.Find(name)
		return e.function == share && !m.Part
	})
}

// argument reads what the function works on, or a filter.
func (p *parser) argument(e *Expr, first bool) error {
	at := p.skip()
	name := p.word()
	if name == "" {
		return p.fail(at, "expected a name here")
	}
	lower := strings.ToLower(name)
	if p.skip(); p.take("=") {
		return p.filter(e, lower, at)
	}
	switch {
	case lower == "warm" || lower == "cold":
		if e.filter.State != stats.Any {
			return p.fail(at, "warm or cold is already chosen")
		}
		e.filter.State = stats.Warm
		if lower == "cold" {
			e.filter.State = stats.Cold
		}
		if e.function == cold {
			return p.fail(at, "cold(...) counts the cold ones; expected a cost: "+strings.Join(coldCauses, ", "))
		}
		return nil
	case !first:
		return p.fail(at, "expected number=, session=, model=, service=, warm or cold")
	}
	return p.what(e, lower, at)
}

// what reads the metric, cost or status that the function works on.
func (p *parser) what(e *Expr, name string, at int) error {
	p.whatAt = at
	switch e.function {
	case cold:
		if !slices.Contains(coldCauses, name) {
			return p.fail(at, unknown("cold cost", name, coldCauses))
		}
		e.cause = name
	case failed:
		if !slices.Contains(statuses, name) {
			return p.fail(at, unknown("failed status", name, statuses))
		}
		e.status = diagnose.Status(name)
	default:
		m, ok := stats.Find(name)
		if !ok {
			return p.fail(at, unknown("metric", name, p.metrics(e)))
		}
		e.metric = m
	}
	return nil
}

// unknown says what was meant, or what there is.
func unknown(kind, name string, known []string) string {
	if close := near.Names(name, known); len(close) > 0 {
		return fmt.Sprintf("no %s %s: did you mean %s?", kind, name, strings.Join(close, " or "))
	}
	return fmt.Sprintf("no %s %s: expected %s", kind, name, strings.Join(known, ", "))
}

// filter reads what stands behind "name=".
func (p *parser) filter(e *Expr, name string, nameAt int) error {
	at := p.skip()
	value, err := p.name()
	if err != nil {
		return err
	}
	var to *string
	switch name {
	case "number":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return p.fail(at, "expected a question's number, from 1")
		}
		if e.filter.Number != 0 {
			return p.fail(nameAt, "number is already chosen")
		}
		e.filter.Number = n
		return nil
	case "session":
		to = &e.filter.Session
	case "model":
		to = &e.filter.Model
	case "service":
		to = &e.filter.Service
	default:
		return p.fail(nameAt, unknown("argument", name, []string{"number", "session", "model", "service"}))
	}
	switch {
	case value == "":
		return p.fail(at, "expected a name here (with spaces, commas or brackets in double quotes)")
	case *to != "":
		return p.fail(nameAt, name+" is already chosen")
	}
	*to = value
	return nil
}

// operators, the longer ones first.
var operators = []string{"<=", ">=", "==", "!=", "<", ">"}

func (p *parser) operator(e *Expr) error {
	at := p.skip()
	for _, op := range operators {
		if p.take(op) {
			e.operator = op
			return nil
		}
	}
	return p.fail(at, "expected one of < <= > >= == !=")
}

// limit reads the number that the value is held against, in the unit that fits the function.
func (p *parser) limit(e *Expr) error {
	at := p.skip()
	word := p.word()
	if p.skip(); p.take("%") {
		word += "%"
	}
	switch e.Unit() {
	case Duration:
		d, err := time.ParseDuration(word)
		if err != nil || d < 0 {
			return p.fail(at, "expected a duration such as 1500ms or 1.5s")
		}
		e.limit = float64(d)
	case Percent:
		number, isPercent := strings.CutSuffix(word, "%")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || !isPercent || !(v >= 0 && v <= 100) {
			return p.fail(at, "expected a percentage such as 40%")
		}
		e.limit = v / 100
	default:
		n, err := strconv.ParseUint(word, 10, 53)
		if err != nil {
			return p.fail(at, "expected a whole number such as 0 or 10")
		}
		e.limit = float64(n)
	}
	return nil
}

// fail is an error at a byte of the text.
func (p *parser) fail(at int, reason string) error {
	return &SyntaxError{Text: p.text, At: at, Reason: reason}
}

// skip goes over white space, and returns where it ends.
func (p *parser) skip() int {
	p.at += len(p.text[p.at:]) - len(strings.TrimLeft(p.text[p.at:], " \t\r\n"))
	return p.at
}

// take goes over a token, if it is next.
func (p *parser) take(token string) bool {
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

// word reads what is neither white space nor part of another token; "" when there is none.
func (p *parser) word() string {
	rest := p.text[p.at:]
	end := strings.IndexAny(rest, " \t\r\n(),=<>!\"%")
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	return rest[:end]
}

// name reads a word, or what stands in double quotes.
func (p *parser) name() (string, error) {
	at := p.at
	if !p.take(`"`) {
		return p.word(), nil
	}
	end := strings.IndexByte(p.text[p.at:], '"')
	if end < 0 {
		return "", p.fail(at, "this quotation has no end")
	}
	name := p.text[p.at : p.at+end]
	p.at += end + 1
	return name, nil
}
