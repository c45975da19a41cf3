package diagnose

import (
	"encoding/json"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A usageBlob is an attribute that holds token counts as one JSON object, and the names in it.
type usageBlob struct {
	key                   string
	input, output, cached []string
}

// usageBlobs are those of Langfuse and LangWatch, whose Python and TypeScript SDKs spell differently.
var usageBlobs = []usageBlob{
	{"langfuse.observation.usage_details", []string{"input"}, []string{"output"}, []string{"cache_read_input_tokens", "input_cached_tokens"}},
	{"langwatch.metrics", []string{"promptTokens", "prompt_tokens"}, []string{"completionTokens", "completion_tokens"}, nil},
}

// maxBlob is how long a JSON text may be to be looked into.
const maxBlob = 16 << 10

// fieldsOf is a JSON object that came as text or as a map, or what it wraps as its value; nil for anything else.
func fieldsOf(v any) model.Attrs {
	var fields map[string]any
	switch v := v.(type) {
	case map[string]any:
		fields = v
	case string:
		if len(v) > maxBlob || json.Unmarshal([]byte(v), &fields) != nil {
			return nil
		}
	}
	if inner, ok := fields["value"].(map[string]any); ok {
		return inner
	}
	return fields
}
