package recognise

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/ragtrace/ragtrace/stages"
)

// The head alone names what its path is sure of; what only a body can tell stays unknown.
func TestGuessOfStoresAndRerankers(t *testing.T) {
	const chroma = "/gw/api/v2/tenants/t/databases/d/collections/c"
	for _, c := range []struct {
		method, path string
		api          stages.API
		op           stages.Operation
	}{
		{"POST", "/collections/docs/points/query", stages.APIQdrant, stages.OpSearch},
		{"POST", "/prefix/collections/docs/points/search/", stages.APIQdrant, stages.OpSearch},
		{"POST", "/collections/collections/points/scroll", stages.APIQdrant, stages.OpRead},
		{"POST", "/collections/docs/points", stages.APIQdrant, stages.OpRead},
		{"POST", "/collections/docs/facet", stages.APIQdrant, stages.OpRead},
		{"GET", "/collections/docs/points/7", stages.APIQdrant, stages.OpRead},
		{"PUT", "/collections/docs/points", stages.APIQdrant, stages.OpUpsert},
		{"POST", "/collections/docs/points/payload", stages.APIQdrant, stages.OpUpsert},
		{"POST", "/collections/docs/points/batch", stages.APIQdrant, stages.OpUpsert},
		{"POST", "/collections/docs/points/delete", stages.APIQdrant, stages.OpDelete},
		{"GET", "/collections/docs/points/query", stages.APIQdrant, stages.OpRead}, // a point with an odd id
		{"PUT", "/collections/docs", "", ""},
		{"POST", "/collections/docs/pointsmap", "", ""},
		{"POST", "/collections//points/query", "", ""},
		{"POST", "/collections/docs/points/unheard/of", "", ""},
		{"POST", chroma + "/query", stages.APIChroma, stages.OpSearch},
		{"POST", chroma + "/upsert", stages.APIChroma, stages.OpUpsert},
		{"POST", chroma + "/delete", stages.APIChroma, stages.OpDelete},
		{"GET", chroma + "/count", stages.APIChroma, stages.OpRead},
		{"GET", chroma + "/query", "", ""},
		{"POST", chroma + "/fork", "", ""},
		{"POST", "/api/v1/collections/c/query", stages.APIChroma, stages.OpSearch},
		{"POST", "/api/v3/collections/c/query", "", ""},
		{"POST", "/api/v2/collections/c/query", "", ""},
		{"POST", "/v1/graphql", "", ""},
		{"POST", "/v1/search/Docs/near-vector", stages.APIWeaviate, stages.OpSearch},
		{"POST", "/v1/search/Docs/bm25", stages.APIWeaviate, stages.OpRead},
		{"POST", "/v1/search/Docs/other", "", ""},
		{"POST", "/v1/objects", "", ""},
		{"GET", "/v1/objects?class=Docs", stages.APIWeaviate, stages.OpRead},
		{"GET", "/v1/objects", "", ""},
		{"DELETE", "/v1/batch/objects", stages.APIWeaviate, stages.OpDelete},
		{"GET", "/v1/schema", "", ""},
		{"POST", "/v2/vectordb/entities/search", stages.APIMilvus, stages.OpSearch},
		{"POST", "/v2/vectordb/collections/describe", "", ""},
		{"POST", "/docs/_search", stages.APIElastic, stages.OpSearch},
		{"GET", "/docs/_search", stages.APIElastic, stages.OpRead},
		{"PUT", "/docs/_create/1", stages.APIElastic, stages.OpUpsert},
		{"DELETE", "/docs/_doc/1", stages.APIElastic, stages.OpDelete},
		{"DELETE", "/docs", "", ""},
		{"POST", "/_search/scroll", "", ""},
		{"POST", "/v2/rerank", stages.APICohere, stages.OpRerank},
		{"POST", "/reranking", stages.APICohere, stages.OpRerank},
		{"GET", "/rerank", "", ""},
		{"POST", "/score", "", ""},
		{"POST", "/prerank", "", ""},
		{"POST", "/embed", stages.APITEI, stages.OpEmbeddings},
		{"POST", "/v2/embed", stages.APICohere, stages.OpEmbeddings},
		{"POST", "/similarity", "", ""},
		{"POST", "/generate_stream", stages.APITGI, stages.OpTextCompletion},
		{"POST", "/api/v0/chat/completions", stages.APILMStudio, stages.OpChat},
		{"POST", "/api/v1/chat", "", ""},
		{"POST", "/", "", ""},
		{"POST", "", "", ""},
	} {
		u, err := url.Parse(c.path)
		if err != nil {
			t.Fatal(err)
		}
		api, op, _, _ := New(stages.Request{Method: c.method, URL: u, Header: http.Header{}}).Guess()
		if api != c.api || op != c.op {
			t.Errorf("%s %s: %q %q, want %q %q", c.method, c.path, api, op, c.api, c.op)
		}
	}
}
