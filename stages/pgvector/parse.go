package pgvector

import "github.com/ragtrace/ragtrace/stages"

// A Statement is what the text of a statement says. The zero value is one that is no vector search.
type Statement struct {
	Operation stages.Operation // OpSearch, or "" for anything else
	Operator  string           // the distance: <-> Euclid, <#> inner product, <=> cosine, <+> taxicab, <~> Hamming, <%> Jaccard
	Table     string           // as it is written, with its schema; "" when it is not a plain name
	TopK      int64            // the limit; 0 when it is an argument
	TopKArg   int              // the argument, from 1, that is the limit; 0 when it is none, or not numbered
}

// distances are pgvector's operators (README, Querying and Binary Vectors).
var distances = map[string]bool{"<->": true, "<#>": true, "<=>": true, "<+>": true, "<~>": true, "<%>": true}

// maxText bounds what is read of one statement.
const maxText = 1 << 20

// Parse reads a statement, or several of which one is a search and none writes. A search inside another one, or inside a
// query with a limit, takes the limit of the outer and keeps its own table.
func Parse(sql string) Statement {
	if len(sql) > maxText {
		sql = sql[:maxText]
	}
	p := parser{lexer: lexer{sql}}
	p.open(false)
	for p.advance(); p.now.kind != end && !p.writes; p.advance() {
		p.step()
	}
	for len(p.scopes) > 0 {
		p.close()
	}
	if p.writes || p.found.Operation == "" {
		return Statement{}
	}
	return p.found
}

// A parser walks through a statement's tokens.
type parser struct {
	lexer
	before, now token
	scopes      []scope
	found       Statement
	writes      bool
}

func (p *parser) advance() { p.before, p.now = p.now, p.next() }

// maxDepth bounds nesting: deeper SQL is not understood.
const maxDepth = 64

func (p *parser) open(call bool) {
	if len(p.scopes) >= maxDepth {
		p.writes = true // not understood: no search
		return
	}
	p.scopes = append(p.scopes, scope{call: call})
}

// close ends the innermost scope. A search in it counts for the scope around it, whose own limit is the better one.
func (p *parser) close() {
	s := &p.scopes[len(p.scopes)-1]
	p.scopes = p.scopes[:len(p.scopes)-1]
	result := s.inner
	if s.query && s.limited && (s.found.Operator != "" || s.inner.Operation != "") {
		result = s.found
		result.Operation = stages.OpSearch
		if s.found.Operator == "" {
			result.Operator = s.inner.Operator
		}
		if s.inner.Operation != "" {
			result.Table = s.inner.Table
		}
	}
	to := &p.found
	if n := len(p.scopes); n > 0 {
		to = &p.scopes[n-1].inner
	}
	if to.Operation == "" {
		*to = result
	}
}

func (p *parser) step() {
	t := p.now
	switch {
	case t.kind == sign && t.s == "(":
		// A name before it makes it a call: not a key word.
		p.open(p.before.kind == quoted || p.before.kind == word && !keywords[p.before.s])
		return
	case t.kind == sign && t.s == ")":
		if len(p.scopes) > 1 {
			p.close()
		}
		return
	case t.kind == sign && t.s == ";":
		if len(p.scopes) == 1 {
			p.close()
			p.open(false)
		}
		return
	}
	s := &p.scopes[len(p.scopes)-1]
	if !s.started {
		p.begin(s, t)
		return
	}
	if t.kind == word && p.verb(s, t.s) {
		return
	}
	if q := p.query(); q != nil {
		q.take(p)
	}
}

// begin takes the first token of a scope.
func (p *parser) begin(s *scope, t token) {
	s.started = true
	switch {
	case t.is("select"):
		s.query, s.clause, s.item = true, list, 1
	case t.is("with"), t.is("values"), t.is("table"):
		s.query = t.is("with")
	case t.kind == word && (changes[t.s] || len(p.scopes) == 1 && others[t.s]) && !s.call:
		p.writes = true
	default:
		if q := p.query(); q != nil && q != s {
			q.take(p)
		}
	}
}

// changes are verbs that begin a statement which changes rows, the part of a WITH too.
var changes = map[string]bool{"insert": true, "update": true, "delete": true, "merge": true}

// others are verbs that begin a statement which changes something else, or only speaks of a SELECT.
var others = map[string]bool{
	"copy": true, "create": true, "alter": true, "drop": true, "truncate": true, "refresh": true, "explain": true,
	"prepare": true, "declare": true, "do": true, "call": true,
}

// verb takes a word that changes the clause of the query under way, and says whether it was one.
func (p *parser) verb(s *scope, w string) bool {
	if !s.query || p.before.is("as") || p.before.s == "." {
		return false
	}
	switch w {
	case "select": // after WITH, or UNION
		s.clause, s.item = list, 1
	case "insert", "update", "delete", "merge":
		if s.clause == before && p.before.s == ")" {
			p.writes = true // WITH ... INSERT
		}
	case "into":
		p.writes = p.writes || s.clause == list // SELECT ... INTO makes a table
	case "from":
		s.endItem(p.before)
		if s.clause == list { // and not DISTINCT FROM in a condition
			s.clause = from
		}
	case "where", "group", "having", "window", "union", "intersect", "except", "offset", "for":
		s.endItem(p.before)
		if s.clause != before {
			s.clause = middle
		}
	case "order":
		s.endItem(p.before)
		s.clause = order
	case "limit", "fetch":
		s.clause, s.limited = limit, true
	default:
		return false
	}
	return true
}

// query is the query that the present place belongs to: plain parentheses belong to the one around them, those of a call
// to none.
func (p *parser) query() *scope {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		switch s := &p.scopes[i]; {
		case s.query:
			return s
		case s.call:
			return nil
		}
	}
	return nil
}

// keywords are words before a parenthesis that do not make it a call.
var keywords = map[string]bool{
	"select": true, "from": true, "where": true, "by": true, "and": true, "or": true, "not": true, "in": true, "any": true,
	"all": true, "some": true, "exists": true, "as": true, "on": true, "join": true, "lateral": true, "limit": true,
	"offset": true, "case": true, "when": true, "then": true, "else": true, "distinct": true, "having": true, "union": true,
	"intersect": true, "except": true, "using": true, "over": true, "materialized": true, "only": true, "with": true,
	"first": true, "next": true, "between": true, "is": true, "like": true,
}
