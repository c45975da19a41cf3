package compose

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// parseYAML reads the plain part of YAML that compose.yaml is written in: maps and lists by indentation of two spaces,
// scalars on one line, JSON arrays, comments on lines of their own. Anything else is an error, so that the file stays plain.
func parseYAML(text string) (map[string]any, error) {
	var lines []yamlLine
	for i, s := range strings.Split(text, "\n") {
		trimmed := strings.TrimLeft(s, " ")
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		indent := len(s) - len(trimmed)
		if indent%2 != 0 || strings.ContainsAny(s, "\t\r") {
			return nil, fmt.Errorf("line %d: indented by something else than pairs of spaces", i+1)
		}
		lines = append(lines, yamlLine{i + 1, indent, trimmed})
	}
	value, rest, err := parseBlock(lines, 0)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("line %d: unexpected indentation", rest[0].number)
	}
	m, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the file is not a map")
	}
	return m, nil
}

type yamlLine struct {
	number, indent int
	text           string
}

// parseBlock reads the lines with one indentation and what lies below them.
func parseBlock(lines []yamlLine, indent int) (any, []yamlLine, error) {
	var list []any
	m := make(map[string]any)
	for len(lines) > 0 && lines[0].indent == indent {
		line := lines[0]
		lines = lines[1:]
		if item, ok := strings.CutPrefix(line.text, "- "); ok {
			v, err := scalar(item)
			if err != nil {
				return nil, nil, fmt.Errorf("line %d: %w", line.number, err)
			}
			list = append(list, v)
			continue
		}
		key, value, ok := strings.Cut(line.text, ":")
		_, twice := m[key]
		if !ok || twice || strings.ContainsAny(key, " \"'") || (value != "" && value[0] != ' ') {
			return nil, nil, fmt.Errorf("line %d: %q is not a new key with a value", line.number, line.text)
		}
		var err error
		switch {
		case value != "":
			m[key], err = scalar(value[1:])
			if err != nil {
				err = fmt.Errorf("line %d: %w", line.number, err)
			}
		case len(lines) > 0 && lines[0].indent == indent+2:
			m[key], lines, err = parseBlock(lines, indent+2)
		default:
			m[key] = nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if list != nil && len(m) > 0 {
		return nil, nil, fmt.Errorf("a list and a map are mixed: %v", list)
	}
	if list != nil {
		return list, lines, nil
	}
	return m, lines, nil
}

// scalar reads a JSON string or array, or a word that YAML takes for a string.
func scalar(s string) (any, error) {
	if s != "" && strings.ContainsRune(`"[`, rune(s[0])) {
		var v any
		err := json.Unmarshal([]byte(s), &v)
		return v, err
	}
	if s == "" || strings.ContainsAny(s, `"'{}&*#|>%@ `) || strings.Contains(s, ": ") || strings.HasSuffix(s, ":") {
		return nil, fmt.Errorf("%q needs quotes", s)
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "~":
		return nil, fmt.Errorf("%q is not a string without quotes", s)
	}
	return s, nil
}

func TestParseYAMLRefusesWhatIsNotPlain(t *testing.T) {
	for _, text := range []string{
		"a:\n   b: c",       // three spaces
		"a:\n\tb: c",        // a tab
		"a: b\na: c",        // a key twice
		"a: &x b",           // an anchor
		"a: yes",            // a boolean to YAML 1.1
		"a:\n    b: c",      // two levels at once
		"a: b c",            // a plain text of two words
		"a:\n  - b\n  c: d", // a list that becomes a map
		"a: [1, 2",          // no JSON
		"- a",               // no map
	} {
		if got, err := parseYAML(text); err == nil {
			t.Errorf("parseYAML(%q) = %v, want an error", text, got)
		}
	}
}
