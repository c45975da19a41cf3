package ask

import (
	"bytes"
	"encoding/json"
	"strings"
)

// placeholder stands in a template where the prompt goes, inside a JSON string.
const placeholder = "{{prompt}}"

// body is the request's body for a prompt.
func (t *Target) body(prompt string) (string, error) {
	if t.template == "" {
		return encode(t.kind.body(t.Model, prompt)), nil
	}
	if !strings.Contains(t.template, placeholder) {
		return "", UsageError{"--body has no " + placeholder + " in it: every question would be the same"}
	}
	text := encode(prompt)
	body := strings.ReplaceAll(t.template, placeholder, text[1:len(text)-1])
	if !json.Valid([]byte(body)) {
		return "", UsageError{`--body is not JSON once ` + placeholder + ` is replaced: write it as {"question": "` + placeholder + `"}`}
	}
	return body, nil
}

// encode writes JSON as a person would: with <, > and & as they are.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only strings, bools and what is made of them
	}
	return strings.TrimSuffix(b.String(), "\n")
}
