package fakeserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// want compares an answer, byte by byte.
func (r reply) want(t *testing.T, status int, body string) {
	t.Helper()
	if r.err != nil || r.status != status {
		t.Errorf("status %d, error %v, body %s", r.status, r.err, r.body)
		return
	}
	if diff := cmp.Diff(body, r.body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// Three points: east, north and, in between, north-east. Seen from east by north they are at cosines of 0.8, 0.6 and
// 1.4/sqrt 2 = 0.98994949.
func TestQdrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, NewVectorStore(StoreConfig{Search: 3 * ms, FirstSearch: 120 * ms, Write: 5 * ms}))
		const query = `{"query":[0.8,0.6],"limit":2,"with_payload":true}`
		c.post("/collections/docs/points/query", query).
			want(t, 404, "{\"status\":{\"error\":\"Not found: Collection `docs` doesn't exist!\"},\"time\":0}")
		c.do("PUT", "/collections/docs", `{"vectors":{"size":2,"distance":"Cosine"}}`).want(t, 200, `{"result":true,"status":"ok","time":0}`)
		c.do("PUT", "/collections/docs", `{"vectors":{"size":2,"distance":"Cosine"}}`).
			want(t, 409, "{\"status\":{\"error\":\"Wrong input: Collection `docs` already exists!\"},\"time\":0}")
		c.do("PUT", "/collections/docs/points?wait=true", `{"points":[
			{"id":1,"vector":[2,0],"payload":{"text":"east"}},{"id":"b","vector":[0,1]},{"id":3,"vector":[1,1],"payload":{"text":"north-east"}}]}`).
			want(t, 200, `{"result":{"operation_id":4,"status":"completed"},"status":"ok","time":0.005}`)
		c.post("/collections/docs/points/query", query).want(t, 200,
			`{"result":{"points":[{"id":3,"version":0,"score":0.9899495,"payload":{"text":"north-east"}},{"id":1,"version":0,"score":0.8,"payload":{"text":"east"}}]},"status":"ok","time":0.123}`)
		c.post("/collections/docs/points/search", `{"vector":[0,1],"limit":1}`).want(t, 200,
			`{"result":[{"id":"b","version":0,"score":1}],"status":"ok","time":0.003}`)
		c.post("/collections/docs/points/query", `{"query":{"nearest":[0,1]},"limit":1}`).want(t, 200,
			`{"result":{"points":[{"id":"b","version":0,"score":1}]},"status":"ok","time":0.003}`)
		c.do("PUT", "/collections/docs/points", `{"points":[{"id":"b","vector":[0,-1]}]}`).want(t, 202, `{"result":null,"status":"accepted","time":0}`)
		c.post("/collections/docs/points/query", `{"query":[0,1],"score_threshold":-2}`).want(t, 200,
			`{"result":{"points":[{"id":3,"version":0,"score":0.70710677},{"id":1,"version":0,"score":0},{"id":"b","version":1,"score":-1}]},"status":"ok","time":0.003}`)
		c.post("/collections/docs/points/query", `{"query":[1,2,3]}`).want(t, 400,
			`{"status":{"error":"Wrong input: Vector dimension error: expected dim: 2, got 3"},"time":0}`)
		c.post("/collections/docs/points/count", `{}`).want(t, 200, `{"result":{"count":3},"status":"ok","time":0}`)
		c.do("DELETE", "/collections/docs", "").want(t, 200, `{"result":true,"status":"ok","time":0}`)
		c.do("GET", "/collections", "").want(t, 200, `{"result":{"collections":[]},"status":"ok","time":0}`)
	})
}

func TestWeaviate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, NewVectorStore(StoreConfig{Search: 3 * ms, FirstSearch: 120 * ms, Write: 5 * ms}))
		c.do("GET", "/v1/.well-known/ready", "").want(t, 200, "")
		c.do("GET", "/v1/meta", "").want(t, 200, `{"grpcMaxMessageSize":104858000,"hostname":"http://[::]:8080","modules":{},"version":"1.35.2"}`)
		c.post("/v1/schema", `{"class":"Doc"}`).want(t, 200, `{"class":"Doc","vectorizer":"none"}`)
		batch := c.post("/v1/batch/objects", `{"objects":[
			{"class":"Doc","id":"00000000-0000-0000-0000-000000000001","properties":{"text":"east"},"vector":[1,0]},
			{"class":"Doc","id":"00000000-0000-0000-0000-000000000002","properties":{"text":"north"},"vector":[0,1]},
			{"class":"Doc","properties":{"text":"up"},"vector":[0,0,1]}]}`)
		if strings.Count(batch.body, `"status":"SUCCESS"`) != 2 || strings.Count(batch.body, `"status":"FAILED"`) != 1 || batch.end != 5*ms {
			t.Errorf("batch after %v: %s", batch.end, batch.body)
		}
		c.post("/v1/objects", `{"class":"Doc","id":"00000000-0000-0000-0000-000000000003","properties":{"text":"north-east"},"vector":[1,1]}`).want(t, 200,
			`{"class":"Doc","creationTimeUnix":946684800010,"id":"00000000-0000-0000-0000-000000000003","lastUpdateTimeUnix":946684800010,"properties":{"text":"north-east"},"vector":[1,1]}`)
		query := func(q string) string { return string(encode(map[string]string{"query": q})) }
		r := c.post("/v1/graphql", query(`{ Get { Doc(nearVector: {vector: [0, 1.0]}, limit: 2) { text _additional { id distance } } } }`))
		r.want(t, 200, `{"data":{"Get":{"Doc":[`+
			`{"_additional":{"distance":0,"id":"00000000-0000-0000-0000-000000000002"},"text":"north"},`+
			`{"_additional":{"distance":0.29289323,"id":"00000000-0000-0000-0000-000000000003"},"text":"north-east"}]}}}`)
		if r.end != 123*ms {
			t.Errorf("first search after %v", r.end)
		}
		r = c.post("/v1/graphql", query(`query Q{Get{Doc(limit:1 where:{path:["a"],n:-1,on:true} nearVector:{vector:[-1e-1,1],distance:0.5}){text}}}`))
		r.want(t, 200, `{"data":{"Get":{"Doc":[{"text":"north"}]}}}`)
		if r.end != 3*ms {
			t.Errorf("second search after %v", r.end)
		}
		c.post("/v1/graphql", query(`{Get{Other{text}}}`)).want(t, 200,
			`{"data":null,"errors":[{"locations":[],"message":"Cannot query field \"Other\" on type \"GetObjectsObj\".","path":null}]}`)
		c.post("/v1/graphql", query(`{Get{Doc(`)).want(t, 200,
			`{"data":null,"errors":[{"locations":[],"message":"Syntax Error GraphQL request (1:10) Expected Name, found \"\"","path":null}]}`)
	})
}

func TestChroma(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const base = "/api/v2/tenants/default_tenant/databases/default_database/collections"
		c := serve(t, NewVectorStore(StoreConfig{Search: 3 * ms, FirstSearch: 120 * ms, Write: 5 * ms}))
		var made struct{ ID, Name string }
		r := c.post(base, `{"name":"docs"}`)
		if err := json.Unmarshal([]byte(r.body), &made); err != nil || made.Name != "docs" || len(made.ID) != 36 {
			t.Fatalf("%s: %v", r.body, err)
		}
		c.post(base, `{"name":"docs","get_or_create":true}`).want(t, 200, r.body)
		c.post(base, `{"name":"docs"}`).want(t, 409, `{"error":"UniqueConstraintError","message":"Collection [docs] already exists"}`)
		c.post(base+"/"+made.ID+"/add", `{"ids":["a","b"],"embeddings":[[1,0],[0,1]],"documents":["east",null],"metadatas":[{"n":1},null]}`).want(t, 201, `{}`)
		r = c.post(base+"/"+made.ID+"/query", `{"query_embeddings":[[0.6,0.8]],"n_results":5,"include":["documents","distances","metadatas"]}`)
		r.want(t, 200, `{"ids":[["b","a"]],"embeddings":null,"documents":[[null,"east"]],"uris":null,"metadatas":[[null,{"n":1}]],"distances":[[0.19999999,0.39999998]],"include":["documents","distances","metadatas"]}`)
		if r.end != 123*ms {
			t.Errorf("first search after %v", r.end)
		}
		c.do("GET", base+"/docs/count", "").want(t, 200, `2`)
		c.post(base+"/docs/query", `{"query_embeddings":[[1,2,3]]}`).want(t, 400,
			`{"error":"InvalidArgumentError","message":"Collection expecting embedding with dimension of 2, got 3"}`)
		c.post(base+"/none/query", `{}`).want(t, 404, `{"error":"NotFoundError","message":"Collection [none] does not exist"}`)
		c.do("DELETE", base+"/"+made.ID, "").want(t, 200, `{}`)
		c.do("GET", base+"/docs", "").want(t, 404, `{"error":"NotFoundError","message":"Collection [docs] does not exist"}`)
	})
}

// A question finds the document that has its words or forms of them, through embeddings and store.
func TestSimilarTextsAreNear(t *testing.T) {
	documents := []string{
		"The harbour ferry leaves every twenty minutes and carries bicycles free of charge.",
		"Bread dough rests overnight in the refrigerator before baking at high heat.",
		"The observatory's telescope was built in 1890 and is open to visitors on clear nights.",
		"Invoices are paid within thirty days; late payments cost two percent interest.",
		"Bees communicate the direction of flowers by a dance in the hive.",
	}
	questions := []string{
		"How often does the ferry leave the harbour?",
		"How long should dough rest before it is baked?",
		"When can visitors use the telescope?",
		"What interest do I pay when an invoice is late?",
		"How do bees tell each other where flowers are?",
	}
	store := NewVectorStore(StoreConfig{})
	col := &collection{byID: map[string]int{}}
	for i, d := range documents {
		if err := store.put(col, []point{{id: i, vector: Embedding(d, 256)}}); err != nil {
			t.Fatal(err)
		}
	}
	for i, q := range questions {
		hits, err := store.search(t.Context(), col, Embedding(q, 256), 2)
		if err != nil {
			t.Fatal(err)
		}
		if hits[0].id != i {
			t.Errorf("%q: found document %v (%v), then %v (%v)", q, hits[0].id, hits[0].score, hits[1].id, hits[1].score)
		}
	}
}

func TestEmbeddingHasUnitLength(t *testing.T) {
	for _, text := range []string{"", "?!", "a", "the same words", strings.Repeat("long ", 1000)} {
		v := Embedding(text, 64)
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if len(v) != 64 || sum < 0.9999 || sum > 1.0001 {
			t.Errorf("%.20q: %d dimensions, squared length %v", text, len(v), sum)
		}
	}
	if diff := cmp.Diff(Embedding("The same words", 64), Embedding("the SAME words!", 64)); diff != "" {
		t.Errorf("case and punctuation matter: %s", diff)
	}
}

func TestStoreFollowsItsScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := func(n int, _ *http.Request, _ []byte) Fault {
			if n == 2 {
				return Fault{Delay: time.Second, Status: 503}
			}
			return Fault{}
		}
		r := serve(t, NewVectorStore(StoreConfig{Script: script}))
		if first := r.do("GET", "/collections", ""); first.status != 200 || first.end != 0 {
			t.Errorf("first: %+v", first)
		}
		if second := r.do("GET", "/collections", ""); second.status != 503 || second.end != time.Second {
			t.Errorf("second: %+v", second)
		}
	})
}

func TestStoreRefusesBadRequests(t *testing.T) {
	const chromaBase = "/api/v2/tenants/t/databases/d/collections"
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, NewVectorStore(StoreConfig{}))
		c.do("PUT", "/collections/docs", `{"vectors":{"size":2}}`)
		c.post(chromaBase, `{"name":"docs"}`)
		for _, tt := range []struct {
			method, path, body string
			status             int
		}{
			{"PUT", "/collections/none", `{`, 400},
			{"PUT", "/collections/none", `{"vectors":{"size":0}}`, 422},
			{"PUT", "/collections/none/points", `{}`, 404},
			{"PUT", "/collections/docs/points", `[`, 400},
			{"PUT", "/collections/docs/points?wait=true", `{"points":[{"id":1,"vector":[1]}]}`, 400},
			{"POST", "/collections/docs/points/query", `nonsense`, 400},
			{"GET", "/collections/none", ``, 404},
			{"POST", "/v1/schema", `{}`, 422},
			{"POST", "/v1/schema", `{`, 400},
			{"POST", "/v1/objects", `{"properties":{}}`, 422},
			{"POST", "/v1/batch/objects", `[1`, 400},
			{"POST", "/v1/graphql", `{`, 400},
			{"GET", "/v1/schema/None", ``, 404},
			{"POST", chromaBase, `{}`, 400},
			{"POST", chromaBase, `{`, 400},
			{"POST", chromaBase + "/docs/add", `{"ids":["a"]}`, 400},
			{"POST", chromaBase + "/docs/query", `{`, 400},
			{"GET", "/nowhere", ``, 404},
		} {
			if r := c.do(tt.method, tt.path, tt.body); r.err != nil || r.status != tt.status {
				t.Errorf("%s %s %s: status %d (%v), want %d", tt.method, tt.path, tt.body, r.status, r.err, tt.status)
			}
		}
	})
}
