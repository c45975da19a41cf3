package chroma

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// calls are what stands after a collection's id.
var calls = map[string]stages.Operation{
	"query":  stages.OpSearch,
	"search": stages.OpSearch,
	"add":    stages.OpUpsert,
	"upsert": stages.OpUpsert,
	"update": stages.OpUpsert,
	"delete": stages.OpDelete,
	"get":    stages.OpRead,
}

// Match says what a request does in Chroma's API, "" when it is no call on a collection's records. It notes the id of the
// collection, which is all that the path names, and the operation.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	prefix, call, ok := cutLast(strings.TrimRight(req.URL.Path, "/"), "/collections/")
	if !ok || !isChroma(prefix) {
		return ""
	}
	id, call, _ := strings.Cut(call, "/")
	op := stages.Operation("")
	switch {
	case req.Method == http.MethodPost:
		op = calls[call]
	case req.Method == http.MethodGet && call == "count":
		op = stages.OpRead
	}
	if id == "" || op == "" {
		return ""
	}
	body.Collection, body.Operation = id, call
	return op
}

// isChroma reports whether /collections stands where Chroma has it: below /api/v1, or below
// /api/v2/tenants/{tenant}/databases/{database}.
func isChroma(prefix string) bool {
	if strings.HasSuffix(prefix, "/api/v1") {
		return true
	}
	_, rest, ok := cutLast(prefix, "/api/v2/")
	parts := strings.Split(rest, "/")
	return ok && len(parts) == 4 && parts[0] == "tenants" && parts[2] == "databases"
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
