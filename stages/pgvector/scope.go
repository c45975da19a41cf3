package pgvector

import (
	"strconv"
	"strings"
)

// A scope is what stands between one pair of parentheses, or outside of all.
type scope struct {
	call    bool // the arguments of a function, or the columns of a name
	query   bool // it begins with SELECT, or WITH and then SELECT
	started bool
	clause  clause
	found   Statement // Operator is set when the order is that of a distance
	inner   Statement // the first search inside
	limited bool

	item    int               // of the select list
	near    string            // the distance in the item under way
	aliases map[string]string // items that are distances, by name and by number
	table   int               // tables named; the first is kept
}

// A clause is the part of a query under way.
type clause uint8

const (
	before clause = iota
	list          // SELECT ...
	from          // FROM ...
	middle        // WHERE, GROUP BY, ...
	order         // ORDER BY ...
	limit         // LIMIT or FETCH
)

// take takes a token that belongs to the query's present clause.
func (s *scope) take(p *parser) {
	t := p.now
	top := s == &p.scopes[len(p.scopes)-1]
	switch s.clause {
	case list:
		switch {
		case t.kind == operator && distances[t.s]:
			s.near = t.s
		case top && t.kind == sign && t.s == ",":
			s.endItem(p.before)
			s.item++
		}
	case from:
		if top {
			s.takeTable(p)
		}
	case order:
		s.takeOrder(p, top)
	case limit:
		s.takeLimit(t)
	}
}

// maxAliases bounds what is remembered of one select list.
const maxAliases = 64

// endItem ends an item of the select list: last is its last token, its name if it has one.
func (s *scope) endItem(last token) {
	if s.clause != list || s.near == "" {
		return
	}
	if s.aliases == nil {
		s.aliases = make(map[string]string)
	}
	if len(s.aliases) >= maxAliases {
		return
	}
	if last.kind == word || last.kind == quoted {
		s.aliases[last.s] = s.near
	}
	s.aliases[strconv.Itoa(s.item)] = s.near
	s.near = ""
}

// takeTable takes a token after FROM: a name, with a schema perhaps.
func (s *scope) takeTable(p *parser) {
	switch t := p.now; {
	case (t.kind == word && !keywords[t.s] || t.kind == quoted) && p.before.is("from"), p.before.is("only") && t.kind != sign:
		s.found.Table = t.s
	case p.before.s == "." && p.before.kind == sign && (t.kind == word || t.kind == quoted) && s.found.Table != "" && s.table == 0:
		s.found.Table += "." + t.s
		s.table++
	case t.kind == sign && t.s == ".":
	default:
		s.table++
	}
}

// takeOrder looks for a distance, or the name or number of an item that is one.
func (s *scope) takeOrder(p *parser, top bool) {
	t := p.now
	if s.found.Operator != "" {
		return
	}
	switch {
	case t.kind == operator && distances[t.s]:
		s.found.Operator = t.s
	case t.kind == word || t.kind == quoted || t.kind == number && top && (p.before.is("by") || p.before.s == ","):
		s.found.Operator = s.aliases[t.s]
	}
}

// takeLimit takes a token after LIMIT or FETCH.
func (s *scope) takeLimit(t token) {
	switch {
	case s.found.TopK != 0 || s.found.TopKArg != 0:
	case t.kind == number:
		s.found.TopK, _ = strconv.ParseInt(t.s, 10, 64)
	case t.kind == param:
		s.found.TopKArg, _ = strconv.Atoi(strings.TrimPrefix(t.s, "$"))
	case t.is("row"): // FETCH FIRST ROW ONLY
		s.found.TopK = 1
	case t.is("all"), t.is("null"):
		s.limited = false
	}
}
