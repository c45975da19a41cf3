package elastic

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// Match says what a request does in these APIs, "" when it is none of their calls. It notes the index and the call.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	rest := strings.Trim(req.URL.Path, "/")
	for behind := range 2 {
		before, call := cutLast(rest)
		if op := operation(req.Method, call, behind, body); op != "" {
			body.Operation = call
			if _, index := cutLast(before); index != "" {
				body.Collection = index
			}
			return op
		}
		rest = before
	}
	return ""
}

// cutLast cuts the last part off a path.
func cutLast(path string) (before, part string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// operation goes by the call, behind which one part of the path may stand: a document's id.
func operation(method, call string, behind int, body *stages.RequestFacts) stages.Operation {
	post := method == http.MethodPost
	read := method == http.MethodGet || method == http.MethodHead
	switch call {
	case "_doc", "_create", "_update":
		switch {
		case method == http.MethodDelete && behind == 1:
			return stages.OpDelete
		case read && behind == 1:
			return stages.OpRead
		case post || method == http.MethodPut:
			return stages.OpUpsert
		}
		return ""
	}
	if behind > 0 || !post && !read && call != "_bulk" {
		return ""
	}
	switch call {
	case "_search", "_msearch":
		// A body that was not seen, as of a compressed request, may well have a vector; no body has none.
		if comparesVectors(body) || post && !body.Body {
			return stages.OpSearch
		}
		return stages.OpRead
	case "_knn_search":
		return stages.OpSearch
	case "_count", "_mget":
		return stages.OpRead
	case "_bulk":
		return stages.OpUpsert
	case "_delete_by_query":
		return stages.OpDelete
	}
	return ""
}

// comparesVectors goes by the names that the request's body has.
func comparesVectors(body *stages.RequestFacts) bool {
	for _, name := range []string{"knn", "query.knn", "query.script_score", "sub_searches", "query.sparse_vector",
		"query.semantic"} {
		if body.Extra[name] {
			return true
		}
	}
	return openSearchOnly(body) || body.Extra["retriever"] && !body.Extra["retriever.standard"]
}

// openSearchOnly reports whether the body has a query that Elasticsearch does not know.
func openSearchOnly(body *stages.RequestFacts) bool {
	return body.Extra["query.neural"] || body.Extra["query.neural_sparse"] || body.Extra["query.hybrid"]
}
