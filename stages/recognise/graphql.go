package recognise

import "strings"

// graphQL finds what a GraphQL text asks Weaviate for: the function ("Get", "Aggregate", ...) and the class below it. The
// text may be cut. Both are "" when the text is not of that shape.
func graphQL(text string) (function, class string) {
	_, rest, ok := strings.Cut(text, "{")
	if !ok {
		return "", ""
	}
	function, rest = name(rest)
	rest = strings.TrimLeft(rest, " \t\r\n")
	if rest, ok = strings.CutPrefix(rest, "{"); ok {
		class, _ = name(rest)
	}
	return function, class
}

// name cuts the name at the start of s off.
func name(s string) (name, rest string) {
	s = strings.TrimLeft(s, " \t\r\n")
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}
