package milvus

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

var calls = map[string]stages.Operation{
	"search":          stages.OpSearch,
	"advanced_search": stages.OpSearch,
	"hybrid_search":   stages.OpSearch,
	"query":           stages.OpRead, // by a filter on scalars
	"get":             stages.OpRead,
	"insert":          stages.OpUpsert,
	"upsert":          stages.OpUpsert,
	"delete":          stages.OpDelete,
}

// Match says what a request does in Milvus' API, "" when it is no call on entities. The collection stands in the body;
// it notes the call.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	path := strings.TrimRight(req.URL.Path, "/")
	i := strings.LastIndexByte(path, '/') + 1
	before, call := path[:i], path[i:]
	if req.Method != http.MethodPost || body.Body && body.Collection == "" {
		return ""
	}
	if !strings.HasSuffix(before, "/v2/vectordb/entities/") && !strings.HasSuffix(before, "/v1/vector/") {
		return ""
	}
	if calls[call] != "" {
		body.Operation = call
	}
	return calls[call]
}
