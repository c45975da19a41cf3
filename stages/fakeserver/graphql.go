package fakeserver

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/scanner"
)

// A get is one class of a { Get { ... } } query.
type get struct {
	class      string
	vector     []float32
	limit      int
	distance   float64 // the farthest; 0 is any
	properties []string
	additional []string
}

// parseGet reads the part of GraphQL in which searches by vector are written. Arguments that it does not know are skipped.
func parseGet(query string) (gets []get, err error) {
	p := &graphql{}
	p.Init(strings.NewReader(query))
	p.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings
	p.Error = func(_ *scanner.Scanner, message string) { p.fail(message) }
	p.next()
	if p.text == "query" {
		p.next()
		if p.tok == scanner.Ident { // the operation's name
			p.next()
		}
	}
	p.expect("{")
	p.expect("Get")
	p.expect("{")
	for p.err == nil && p.text != "}" {
		gets = append(gets, p.class())
	}
	p.expect("}")
	p.expect("}")
	return gets, p.err
}

type graphql struct {
	scanner.Scanner
	tok  rune
	text string
	err  error
}

func (p *graphql) next() {
	for p.tok = p.Scan(); p.tok == ','; p.tok = p.Scan() {
		// A comma is as good as a space.
	}
	p.text = p.TokenText()
	if p.tok == scanner.EOF {
		p.text = ""
	}
}

func (p *graphql) fail(message string) {
	if p.err == nil {
		p.err = fmt.Errorf("(%d:%d) %s", p.Position.Line, p.Position.Column, message)
	}
}

func (p *graphql) expect(text string) {
	if p.text != text {
		p.fail(fmt.Sprintf("Expected %s, found %q", text, p.text))
		return
	}
	p.next()
}

func (p *graphql) name() string {
	name := p.text
	if p.tok != scanner.Ident {
		p.fail(fmt.Sprintf("Expected Name, found %q", p.text))
		return ""
	}
	p.next()
	return name
}

func (p *graphql) class() get {
	g := get{class: p.name(), limit: 100}
	if p.text == "(" {
		p.next()
		for p.err == nil && p.text != ")" {
			p.argument(&g)
		}
		p.expect(")")
	}
	p.expect("{")
	for p.err == nil && p.text != "}" {
		name := p.name()
		if p.text != "{" {
			g.properties = append(g.properties, name)
			continue
		}
		p.next()
		for p.err == nil && p.text != "}" {
			field := p.name()
			if name == "_additional" {
				g.additional = append(g.additional, field)
			}
		}
		p.expect("}")
	}
	p.expect("}")
	return g
}

func (p *graphql) argument(g *get) {
	name := p.name()
	p.expect(":")
	switch name {
	case "limit":
		g.limit = int(p.number())
	case "nearVector":
		p.expect("{")
		for p.err == nil && p.text != "}" {
			field := p.name()
			p.expect(":")
			switch field {
			case "vector":
				g.vector = p.vector()
			case "distance":
				g.distance = p.number()
			default:
				p.skip(0)
			}
		}
		p.expect("}")
	default:
		p.skip(0)
	}
}

func (p *graphql) number() float64 {
	sign := 1.0
	if p.text == "-" {
		sign = -1
		p.next()
	}
	v, err := strconv.ParseFloat(p.text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		p.fail(fmt.Sprintf("Expected a number, found %q", p.text))
		return 0
	}
	p.next()
	return sign * v
}

func (p *graphql) vector() []float32 {
	var v []float32
	p.expect("[")
	for p.err == nil && p.text != "]" {
		v = append(v, float32(p.number()))
	}
	p.expect("]")
	return v
}

// maxDepth bounds the nesting of values.
const maxDepth = 100

// skip reads one value of any kind.
func (p *graphql) skip(depth int) {
	closing := map[string]string{"{": "}", "[": "]"}[p.text]
	if depth > maxDepth || p.tok == scanner.EOF {
		p.fail("Unexpected " + strconv.Quote(p.text))
		return
	}
	if p.text == "-" || p.text == "$" {
		p.next()
	}
	p.next()
	for closing != "" && p.err == nil && p.text != closing {
		if p.tok == scanner.EOF {
			p.fail("Expected " + closing)
			return
		}
		if closing == "}" {
			p.name()
			p.expect(":")
		}
		p.skip(depth + 1)
	}
	if closing != "" {
		p.expect(closing)
	}
}
