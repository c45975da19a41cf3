package rerank

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// Match says whether a request is a rerank call: by its path, and by a query with documents in its body once that has
// been seen.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	if req.Method != http.MethodPost {
		return ""
	}
	if body.Body && !(body.HasQuery && body.Documents.Known()) {
		return ""
	}
	path := strings.TrimRight(req.URL.Path, "/")
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "rerank", "reranking":
		return stages.OpRerank
	case "score": // too common a word to go by alone
		if body.Extra["text_1"] && body.Extra["text_2"] || body.Extra["queries"] && body.Extra["documents"] {
			return stages.OpRerank
		}
	}
	return ""
}
