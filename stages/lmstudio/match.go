package lmstudio

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// MatchV0 says what a request does in the older API, "" when it is none of its paths.
func MatchV0(req *stages.Request, _ *stages.RequestFacts) stages.Operation {
	path := strings.TrimRight(req.URL.Path, "/")
	switch {
	case req.Method != http.MethodPost:
	case strings.HasSuffix(path, "/api/v0/chat/completions"):
		return stages.OpChat
	case strings.HasSuffix(path, "/api/v0/completions"):
		return stages.OpTextCompletion
	case strings.HasSuffix(path, "/api/v0/embeddings"):
		return stages.OpEmbeddings
	}
	return ""
}

// MatchV1 says whether a request is a chat in the newer API. Others may have an /api/v1/chat of their own: it wants a
// model and an input.
func MatchV1(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	path := strings.TrimRight(req.URL.Path, "/")
	if req.Method == http.MethodPost && strings.HasSuffix(path, "/api/v1/chat") && body.Model != "" && body.Inputs.Known() {
		return stages.OpChat
	}
	return ""
}
