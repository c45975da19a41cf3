package fakeserver

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// The query has one long word and two short ones, of weight 1, 0.2 and 0.2. Document 1 has all, document 0 the short ones.
func TestRerank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, NewReranker(RerankerConfig{Latency: 10 * ms, PerDocument: 2 * ms, FirstCall: 400 * ms}))
		first := c.post("/v1/rerank", `{"model":"m","query":"is it ready","documents":["it is","Ready it is!",{"text":"no"}],"top_n":2,"return_documents":true}`)
		first.want(t, 200, `{"model":"m","usage":{"total_tokens":22},"results":[`+
			`{"index":1,"relevance_score":1,"document":{"text":"Ready it is!"}},`+
			`{"index":0,"relevance_score":0.2857143,"document":{"text":"it is"}}]}`)
		second := c.post("/v2/rerank", `{"model":"m","query":"is it ready","documents":["no","ready"]}`)
		second.want(t, 200, `{"id":"`+uuid("is it ready")+`","results":[`+
			`{"index":1,"relevance_score":0.71428573},{"index":0,"relevance_score":0}],`+
			`"meta":{"api_version":{"version":"2"},"billed_units":{"search_units":1}}}`)
		if first.end != 416*ms || second.end != 14*ms {
			t.Errorf("first after %v, second after %v", first.end, second.end)
		}
		c.post("/v2/rerank", `{"query":"q"}`).want(t, 400, `{"message":"invalid request: query and documents are required"}`)
	})
}

func TestRerankOfTextEmbeddingsInference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, NewReranker(RerankerConfig{Latency: 10 * ms, PerDocument: 2 * ms, FirstCall: 400 * ms}))
		r := c.post("/rerank", `{"query":"is it ready","texts":["no","ready"],"return_text":true}`)
		r.want(t, 200, `[{"index":1,"score":0.71428573,"text":"ready"},{"index":0,"score":0,"text":"no"}]`)
		got := map[string]string{}
		for name := range r.header {
			if name != "Date" && name != "Content-Length" && name != "Content-Type" {
				got[name] = r.header.Get(name)
			}
		}
		if diff := cmp.Diff(map[string]string{
			"X-Compute-Type": "cpu", "X-Compute-Time": "414", "X-Total-Time": "414", "X-Tokenization-Time": "0",
			"X-Queue-Time": "400", "X-Inference-Time": "14", "X-Compute-Characters": "29", "X-Compute-Tokens": "12",
		}, got); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
		c.post("/rerank", `{"query":"q","texts":[]}`).want(t, 400, "{\"error\":\"`texts` cannot be empty\",\"error_type\":\"Empty\"}")
	})
}
