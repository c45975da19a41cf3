package tei

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// Match says whether a request asks TEI for embeddings on one of its own paths, "" when not: its rerank is in the package
// of that name, and its /v1/embeddings is OpenAI's. Ollama's and Cohere's paths that end in /embed are not TEI's.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	path := strings.TrimRight(req.URL.Path, "/")
	before, call := path[:strings.LastIndexByte(path, '/')+1], path[strings.LastIndexByte(path, '/')+1:]
	if req.Method != http.MethodPost || body.Body && !body.Inputs.Known() {
		return ""
	}
	for _, other := range []string{"/api/", "/v1/", "/v2/"} {
		if strings.HasSuffix(before, other) {
			return ""
		}
	}
	switch call {
	case "embed", "embed_all", "embed_sparse":
		body.Operation = call
		return stages.OpEmbeddings
	}
	return ""
}
