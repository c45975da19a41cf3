package gateway

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// maxName is the longest name of a metric that is kept.
const maxName = 64

// serverTiming reads Server-Timing: metrics separated by commas, each a name with parameters (W3C Server Timing; token
// and quoted-string of RFC 9110). Metrics without a duration say nothing here.
func serverTiming(g *stages.GatewayFacts, h http.Header) {
	for _, line := range h.Values("Server-Timing") {
		for line != "" {
			var name string
			name, line = token(line)
			dur := ""
			for strings.HasPrefix(line, ";") {
				var key, value string
				key, value, line = parameter(line[1:])
				if dur == "" && strings.EqualFold(key, "dur") {
					dur = value // the first one counts
				}
			}
			// Whatever is not of that shape is passed up to the next comma.
			if i := strings.IndexByte(line, ','); i >= 0 {
				line = line[i+1:]
			} else {
				line = ""
			}
			if t, ok := millis(dur); ok && name != "" && len(name) <= maxName {
				add(g, "server_timing."+name, t)
			}
		}
	}
}

// parameter takes "key=value" or "key" off s; the value may be quoted.
func parameter(s string) (key, value, rest string) {
	key, rest = token(s)
	rest, ok := strings.CutPrefix(rest, "=")
	if !ok {
		return key, "", rest
	}
	if rest = strings.TrimLeft(rest, " \t"); strings.HasPrefix(rest, `"`) {
		value, rest = quoted(rest[1:])
		return key, value, strings.TrimLeft(rest, " \t")
	}
	value, rest = token(rest)
	return key, value, rest
}

// token takes a token off s, and the white space around it.
func token(s string) (token, rest string) {
	s = strings.TrimLeft(s, " \t")
	end := strings.IndexAny(s, " \t,;=\"")
	if end < 0 {
		end = len(s)
	}
	return s[:end], strings.TrimLeft(s[end:], " \t")
}

// quoted takes the rest of a quoted string off s. One without its end takes all.
func quoted(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:]
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}
