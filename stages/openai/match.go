package openai

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// paths are ends of paths and what they do. Those that are sure say so by themselves; the others are words that any
// application may use for a path of its own, and need a body that has what the API wants.
var paths = []struct {
	end  string
	op   stages.Operation
	sure bool
}{
	{"/chat/completions", stages.OpChat, true},
	{"/v1/completions", stages.OpTextCompletion, true},
	{"/v1/responses", stages.OpChat, true},
	{"/v1/embeddings", stages.OpEmbeddings, true},
	{"/completions", stages.OpTextCompletion, false},
	{"/completion", stages.OpTextCompletion, false},
	{"/responses", stages.OpChat, false},
	{"/embeddings", stages.OpEmbeddings, false},
	{"/embedding", stages.OpEmbeddings, false},
}

// Match says what a request does in this API, "" when it is none of its paths.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	if req.Method != http.MethodPost {
		return ""
	}
	path := strings.TrimRight(req.URL.Path, "/")
	for _, p := range paths {
		if strings.HasSuffix(path, p.end) && (p.sure || asks(p.op, body)) {
			return p.op
		}
	}
	return ""
}

// asks reports whether the body has what the operation wants.
func asks(op stages.Operation, body *stages.RequestFacts) bool {
	switch op {
	case stages.OpTextCompletion:
		return body.HasPrompt
	case stages.OpChat:
		return body.Inputs.Known() && body.Model != ""
	}
	return body.Inputs.Known()
}
