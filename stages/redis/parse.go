package redis

import (
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// A Command is what a command's arguments say. The zero value is one that neither searches vectors nor changes them.
type Command struct {
	Operation  stages.Operation
	Collection string // the index, or the key of the vector set
	TopK       int64  // neighbours asked for; 0 when not said, which is 10 to all of these commands
}

// Parse reads a command, whose name is the first argument. HSET and JSON.SET, which write vectors among other things, are
// nothing here: they do not say so.
func Parse(args ...string) Command {
	if len(args) < 2 {
		return Command{}
	}
	c := Command{Collection: args[1]}
	switch strings.ToUpper(args[0]) {
	case "FT.SEARCH", "FT.AGGREGATE":
		if len(args) < 3 {
			return Command{}
		}
		c.search(args[2], args[3:])
	case "FT.HYBRID":
		c.hybrid(args[2:])
	case "VSIM":
		c.Operation, c.TopK = stages.OpSearch, number(first(after("COUNT", skipVector(args[2:]))), nil)
	case "VADD":
		c.Operation = stages.OpUpsert
	case "VREM":
		c.Operation = stages.OpDelete
	case "VCARD", "VDIM", "VEMB", "VGETATTR", "VINFO", "VISMEMBER", "VLINKS", "VRANDMEMBER", "VRANGE":
		c.Operation = stages.OpRead
	default:
		return Command{}
	}
	return c
}

// search reads a query such as "(@year:[2020 2024])=>[KNN 10 @vector $query]", or one with VECTOR_RANGE, whose hits only
// LIMIT bounds.
func (c *Command) search(query string, options []string) {
	k, vector := knn(query)
	switch {
	case vector:
		c.Operation, c.TopK = stages.OpSearch, number(k, params(options))
	case strings.Contains(strings.ToUpper(query), "[VECTOR_RANGE"):
		c.Operation, c.TopK = stages.OpSearch, limit(options)
	default:
		c.Operation = stages.OpRead
	}
}

// hybrid reads FT.HYBRID index SEARCH query VSIM @field $vector [KNN count K k] ...
func (c *Command) hybrid(options []string) {
	c.Operation = stages.OpSearch
	if args := after("KNN", options); len(args) > 0 {
		c.TopK = number(first(after("K", args[1:])), params(options))
	}
}

// knn finds the clause =>[KNN k ... outside of quoted strings, and its k.
func knn(query string) (k string, found bool) {
	inString := false
	for i := 0; i < len(query); i++ {
		switch {
		case query[i] == '\\':
			i++
		case query[i] == '"':
			inString = !inString
		case !inString && strings.HasPrefix(query[i:], "=>"):
			const window = 256 // where k stands, so that many arrows do not make the search quadratic
			clause := strings.FieldsFunc(query[i+2:min(i+2+window, len(query))], func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '[' || r == ']' })
			if len(clause) > 1 && strings.EqualFold(clause[0], "KNN") {
				return clause[1], true
			}
		}
	}
	return "", false
}

// params are the values of PARAMS count name value ...
func params(options []string) map[string]string {
	args := after("PARAMS", options)
	n := number(first(args), nil)
	if n <= 0 || n > int64(len(args)-1) {
		return nil
	}
	args = args[1 : n+1]
	values := make(map[string]string)
	for i := 0; i+1 < len(args); i += 2 {
		if len(args[i+1]) < 20 { // and no vector
			values[args[i]] = args[i+1]
		}
	}
	return values
}

// limit is the number in LIMIT offset number.
func limit(options []string) int64 {
	if args := after("LIMIT", options); len(args) > 1 {
		return number(args[1], nil)
	}
	return 0
}

// after are the arguments behind the key word.
func after(word string, args []string) []string {
	for i, a := range args {
		if strings.EqualFold(a, word) {
			return args[i+1:]
		}
	}
	return nil
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// number reads a number, or a parameter that is one; 0 when it is none.
func number(s string, params map[string]string) int64 {
	if name, ok := strings.CutPrefix(s, "$"); ok {
		s = params[name]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// skipVector passes the vector of VSIM, which may look like a key word: ELE element, FP32 blob, VALUES n x y ...
func skipVector(args []string) []string {
	if len(args) < 2 {
		return nil
	}
	n := int64(2)
	if strings.EqualFold(args[0], "VALUES") {
		n += number(args[1], nil)
	}
	if n > int64(len(args)) || n < 0 {
		return nil
	}
	return args[n:]
}
