package diagnose

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// status says how a question ended. A failed attempt or call below a root that did not fail changes nothing.
func (t *tree) status() Status {
	root := t.nodes[0].span
	if root.Status == model.StatusError {
		if cancelled(root.Attrs) {
			return StatusCancelled
		}
		return StatusError
	}
	if c := t.lastCall(); c != nil && brokeOff(t.nodes[c.at].span.Attrs) {
		return StatusIncomplete
	}
	return StatusOK
}

// cancelled reports whether the user left first: 499 is what servers log then.
func cancelled(a model.Attrs) bool {
	kind := strings.ToLower(a.String("error.type"))
	if strings.Contains(kind, "cancel") || kind == "499" {
		return true
	}
	for _, key := range []string{"http.response.status_code", "http.status_code"} {
		if code, ok := a.Int(key); ok && code == 499 {
			return true
		}
	}
	return false
}

// brokeOff reports whether a call's answer ended early. Stores without lists keep the reasons as JSON text.
func brokeOff(a model.Attrs) bool {
	switch v := a["gen_ai.response.finish_reasons"].(type) {
	case []any:
		return slices.Contains(v, any("error"))
	case string:
		var reasons []string
		if json.Unmarshal([]byte(v), &reasons) != nil {
			return v == "error"
		}
		return slices.Contains(reasons, "error")
	}
	return false
}
