package weaviate

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// Match says what a request does in Weaviate's APIs, "" when it is none of their paths. GraphQL says so in its body: a
// request of which only the head is known is not recognised yet. It notes what the path names.
func Match(req *stages.Request, body *stages.RequestFacts) stages.Operation {
	i := strings.LastIndex(req.URL.Path, "/v1/")
	if i < 0 {
		return ""
	}
	parts := strings.Split(strings.Trim(req.URL.Path[i+len("/v1/"):], "/"), "/")
	switch parts[0] {
	case "graphql":
		if len(parts) == 1 && req.Method == http.MethodPost {
			return graphQL(body)
		}
	case "search":
		if len(parts) == 3 && req.Method == http.MethodPost {
			return search(parts[1], parts[2], body)
		}
	case "objects":
		return objects(req, parts[1:], body)
	case "batch":
		if len(parts) == 2 && (parts[1] == "objects" || parts[1] == "references") {
			return write(req.Method)
		}
	}
	return ""
}

// graphQL goes by the text's function. Functions begin with a capital letter, which is rare elsewhere.
func graphQL(body *stages.RequestFacts) stages.Operation {
	switch {
	case body.Operation == "Get" && !body.Extra[ExtraVector], body.Operation == "Aggregate":
		return stages.OpRead
	case body.Operation == "Get", body.Operation == "Explore":
		return stages.OpSearch
	}
	return ""
}

// ExtraVector is the name in RequestFacts.Extra for a GraphQL text that compares vectors.
const ExtraVector = "graphql vector"

// search goes by the kind of search: bm25 compares words.
func search(class, kind string, body *stages.RequestFacts) (op stages.Operation) {
	switch kind {
	case "near-text", "near-vector", "near-object", "hybrid":
		op = stages.OpSearch
	case "bm25":
		op = stages.OpRead
	default:
		return ""
	}
	body.Collection, body.Operation = class, kind
	return op
}

// objects are /v1/objects and /v1/objects/{class}/{id}. Others have such paths too: a body or path without a class is not
// taken for Weaviate's.
func objects(req *stages.Request, parts []string, body *stages.RequestFacts) stages.Operation {
	switch {
	case len(parts) == 2 && isUUID(parts[1]):
		body.Collection = parts[0]
	case len(parts) == 0 && req.Method == http.MethodGet:
		if body.Collection = req.URL.Query().Get("class"); body.Collection == "" {
			return ""
		}
	case len(parts) > 0 || body.Collection == "":
		return ""
	}
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return stages.OpRead
	}
	return write(req.Method)
}

func write(method string) stages.Operation {
	switch method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		return stages.OpUpsert
	case http.MethodDelete:
		return stages.OpDelete
	}
	return ""
}

func isUUID(s string) bool { return len(s) == 36 && strings.Count(s, "-") == 4 }
