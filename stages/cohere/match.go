package cohere

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// Match says whether a request asks Cohere for embeddings, "" when not.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	path := strings.TrimRight(req.URL.Path, "/")
	if req.Method != http.MethodPost || !strings.HasSuffix(path, "/v1/embed") && !strings.HasSuffix(path, "/v2/embed") {
		return ""
	}
	if !body.Body {
		return stages.OpEmbeddings
	}
	if body.Model == "" || !body.Documents.Known() && !body.Inputs.Known() {
		return "" // another's path of that name
	}
	if !body.Inputs.Known() {
		body.Inputs, body.Documents = body.Documents, stages.Count{} // texts, which rerankers have too
	}
	return stages.OpEmbeddings
}
