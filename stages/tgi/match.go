package tgi

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// Match says whether a request is for TGI. Others have a /generate too, but want another body.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	path := strings.TrimRight(req.URL.Path, "/")
	if req.Method != http.MethodPost || body.Body && !body.Inputs.Known() {
		return ""
	}
	if strings.HasSuffix(path, "/generate") || strings.HasSuffix(path, "/generate_stream") {
		return stages.OpTextCompletion
	}
	return ""
}
