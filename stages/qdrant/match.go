package qdrant

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// searches are the calls that compare vectors, as they stand after /collections/{name}/points/.
var searches = map[string]bool{
	"query": true, "query/batch": true, "query/groups": true,
	"search": true, "search/batch": true, "search/groups": true,
	"recommend": true, "recommend/batch": true, "recommend/groups": true,
	"discover": true, "discover/batch": true,
}

// Match says what a request does in Qdrant's API, "" when it is no call on the points of a collection. It notes the
// collection and the operation that the path names.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	const collections = "/collections/"
	path := req.URL.Path
	for i := strings.LastIndex(path, collections); i >= 0; i = strings.LastIndex(path[:i+1], collections) {
		collection, call, _ := strings.Cut(strings.Trim(path[i+len(collections):], "/"), "/")
		op := operation(req.Method, call)
		if collection == "" || op == "" {
			continue // a collection may be called collections
		}
		if (call == "points/query" || call == "points/query/groups") && bodyHasNoVector(body) {
			op = stages.OpRead
		}
		body.Collection, body.Operation = collection, call
		return op
	}
	return ""
}

func operation(method, call string) stages.Operation {
	if call == "facet" && method == http.MethodPost {
		return stages.OpRead
	}
	call, ok := strings.CutPrefix(call, "points")
	if !ok || call != "" && call[0] != '/' {
		return ""
	}
	call = strings.TrimPrefix(call, "/")
	switch method {
	case http.MethodGet:
		if call != "" {
			return stages.OpRead // one point by its id
		}
	case http.MethodPut:
		switch call {
		case "", "payload", "vectors":
			return stages.OpUpsert
		}
	case http.MethodPost:
		switch call {
		case "", "scroll", "count", "search/matrix/pairs", "search/matrix/offsets":
			return stages.OpRead // points by their ids; distances between stored points answer no question
		case "delete", "vectors/delete":
			return stages.OpDelete
		case "payload", "payload/delete", "payload/clear", "batch":
			return stages.OpUpsert
		}
		if searches[call] {
			return stages.OpSearch
		}
	}
	return ""
}

// bodyHasNoVector reports whether a body was seen that has no query: then the points come in the order of their ids.
func bodyHasNoVector(body *stages.RequestFacts) bool { return body.Body && !body.HasQuery }
