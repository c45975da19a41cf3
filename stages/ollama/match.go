package ollama

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// Match says what a request does in Ollama's API, "" when it is none of its paths.
func Match(req *stages.Request, _ *stages.RequestFacts) stages.Operation {
	if req.Method != http.MethodPost {
		return ""
	}
	switch path := strings.TrimRight(req.URL.Path, "/"); {
	case strings.HasSuffix(path, "/api/chat"):
		return stages.OpChat
	case strings.HasSuffix(path, "/api/generate"):
		return stages.OpTextCompletion
	case strings.HasSuffix(path, "/api/embed"), strings.HasSuffix(path, "/api/embeddings"):
		return stages.OpEmbeddings
	}
	return ""
}
