package attr

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"

	"github.com/ragtrace/ragtrace/stages"
)

func mapOf(attrs []attribute.KeyValue) map[string]any {
	m := make(map[string]any)
	for _, kv := range attrs {
		m[string(kv.Key)] = kv.Value.AsInterface()
	}
	return m
}

func reported(d time.Duration) stages.Timing { return stages.Timing{D: d, Source: stages.Reported} }

func counted(n int64) stages.Count { return stages.Count{N: n, Source: stages.Reported} }

func TestNames(t *testing.T) {
	qdrant := func(op stages.Operation, call string) stages.Facts {
		return stages.Facts{API: stages.APIQdrant, Operation: op, System: "qdrant", Request: stages.RequestFacts{Collection: "docs", Operation: call}}
	}
	for _, c := range []struct {
		want string
		f    stages.Facts
	}{
		{"chat llama3.2:3b", stages.Facts{API: stages.APIOllama, Operation: stages.OpChat, Request: stages.RequestFacts{Model: "llama3.2:3b"}, Model: "other"}},
		{"chat answering", stages.Facts{API: stages.APIOpenAI, Operation: stages.OpChat, Model: "answering"}},
		{"embeddings", stages.Facts{API: stages.APITEI, Operation: stages.OpEmbeddings}},
		{"load m", stages.Facts{API: stages.APIOllama, Operation: stages.OpLoad, Request: stages.RequestFacts{Model: "m"}}},
		{"query_points docs", qdrant(stages.OpSearch, "points/query")},
		{"search docs", qdrant(stages.OpSearch, "points/search")},
		{"upsert docs", qdrant(stages.OpUpsert, "points")},
		{"Get Doc", stages.Facts{API: stages.APIWeaviate, Operation: stages.OpSearch, Request: stages.RequestFacts{Operation: "Get", Collection: "Doc"}}},
		{"search", stages.Facts{API: stages.APIChroma, Operation: stages.OpSearch}},
	} {
		if got := Name(&c.f); got != c.want {
			t.Errorf("name %q, want %q", got, c.want)
		}
	}
}

func TestCallOfASearch(t *testing.T) {
	top, low := 0.9, 0.1
	f := stages.Facts{
		API: stages.APIQdrant, Operation: stages.OpSearch, Stage: stages.Search, System: "qdrant", Status: stages.StatusOK, HTTPStatus: 200,
		Request: stages.RequestFacts{Collection: "docs", Operation: "points/query", TopK: counted(20)},
		Hits:    counted(3), ScoreMax: &top, ScoreMin: &low, Total: reported(5 * time.Millisecond),
	}
	want := map[string]any{
		"ragtrace.stage": "search", "ragtrace.inside_llm": false, "ragtrace.timing.source": "measured", "openinference.span.kind": "CHAIN",
		"db.system.name": "qdrant", "peer.service": "qdrant", "db.collection.name": "docs", "db.operation.name": "query_points",
		"ragtrace.search.top_k": int64(20), "db.response.returned_rows": int64(3),
		"ragtrace.search.score.max": 0.9, "ragtrace.search.score.min": 0.1, "ragtrace.search.server.duration": 0.005,
	}
	if diff := cmp.Diff(want, mapOf(Call(Head(nil, &f, false), &f))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A store that answers distances has no scores: what is near is small.
func TestDistances(t *testing.T) {
	far, near := 0.75, -0.5
	f := stages.Facts{API: stages.APIChroma, Operation: stages.OpSearch, Stage: stages.Search, Status: stages.StatusOK, DistanceMax: &far, DistanceMin: &near}
	want := map[string]any{"db.operation.name": "search", "ragtrace.search.distance.max": 0.75, "ragtrace.search.distance.min": -0.5}
	if diff := cmp.Diff(want, mapOf(Call(nil, &f))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of an answer in 100 ms, whose server says 90 of which 30 were loading, 60 are in no field.
func TestUnattributed(t *testing.T) {
	at := func(d time.Duration) stages.Timing { return stages.Timing{D: d, Source: stages.Measured} }
	f := stages.Facts{
		API: stages.APIOllama, Operation: stages.OpChat, Stage: stages.LLM, Status: stages.StatusOK,
		Total: reported(90 * time.Millisecond), Load: reported(30 * time.Millisecond),
		Marks: stages.Marks{WroteHeaders: at(time.Millisecond), Done: at(100 * time.Millisecond), End: at(100 * time.Millisecond)},
	}
	want := map[string]any{
		"ragtrace.llm.total.duration": 0.09, "ragtrace.llm.load.duration": 0.03, "ragtrace.llm.unattributed.duration": 0.06,
	}
	if diff := cmp.Diff(want, mapOf(Call(nil, &f))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCallOfAReranker(t *testing.T) {
	f := stages.Facts{
		API: stages.APITEI, Operation: stages.OpRerank, Stage: stages.Rerank, System: "tei", Status: stages.StatusError, HTTPStatus: 503,
		Request: stages.RequestFacts{Model: "bge", Documents: counted(2), TopK: counted(1)},
		Hits:    counted(1), Total: reported(205 * time.Millisecond), Other: []stages.NamedTiming{{Name: "queue", Timing: reported(60 * time.Millisecond)}},
		Flags: []string{"malformed"},
	}
	want := map[string]any{
		"ragtrace.stage": "rerank", "ragtrace.inside_llm": false, "ragtrace.timing.source": "measured", "openinference.span.kind": "RERANKER",
		"langfuse.observation.type": "span", "gen_ai.operation.name": "rerank", "gen_ai.provider.name": "tei", "peer.service": "tei",
		"gen_ai.request.model": "bge", "reranker.model_name": "bge",
		"ragtrace.rerank.candidate.count": int64(2), "ragtrace.rerank.top_n": int64(1), "reranker.top_k": int64(1), "ragtrace.rerank.result.count": int64(1),
		"ragtrace.rerank.server.duration": 0.205, "ragtrace.server.queue.duration": 0.06,
		"ragtrace.call.status": "error", "ragtrace.flags": []string{"malformed"},
	}
	if diff := cmp.Diff(want, mapOf(Call(Head(nil, &f, false), &f))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A stream that broke off ends with the reason "error", whatever it said before; a refusal has no reason at all.
func TestFinishReasons(t *testing.T) {
	for _, c := range []struct {
		name string
		f    stages.Facts
		want []string
	}{
		{"ok", stages.Facts{Status: stages.StatusOK, FinishReasons: []string{"stop", "length"}}, []string{"stop", "length"}},
		{"cancelled", stages.Facts{Status: stages.StatusCancelled}, []string{"error"}},
		{"incomplete", stages.Facts{Status: stages.StatusIncomplete, FinishReasons: []string{"stop"}}, []string{"error"}},
		{"error in the stream", stages.Facts{Status: stages.StatusError, Streamed: true}, []string{"error"}},
		{"refused", stages.Facts{Status: stages.StatusError, HTTPStatus: 500}, nil},
	} {
		c.f.API, c.f.Operation, c.f.Stage = stages.APIOpenAI, stages.OpChat, stages.LLM
		got, _ := mapOf(Call(nil, &c.f))["gen_ai.response.finish_reasons"].([]string)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestGatewayAndOldNames(t *testing.T) {
	t.Setenv("RAGTRACE_SEMCONV", "dup")
	f := stages.Facts{
		API: stages.APIOpenAI, Operation: stages.OpChat, Stage: stages.LLM, System: "openai", Status: stages.StatusOK,
		Gateway: stages.GatewayFacts{Upstream: "http://ollama:11434", Retries: counted(1), Overhead: reported(30 * time.Millisecond)},
	}
	got := mapOf(Call(Head(nil, &f, Dup()), &f))
	for k, want := range map[string]any{
		"gen_ai.system": "openai", "gen_ai.provider.name": "openai",
		"ragtrace.gateway.upstream": "http://ollama:11434", "ragtrace.gateway.attempt": int64(2), "ragtrace.gateway.overhead.duration": 0.03,
	} {
		if got[k] != want {
			t.Errorf("%s is %v, want %v", k, got[k], want)
		}
	}
}

// Nothing that was not said is written.
func TestAbsentFacts(t *testing.T) {
	f := stages.Facts{API: stages.APIOpenAI, Operation: stages.OpChat, Stage: stages.LLM, System: "openai", Status: stages.StatusOK}
	if got := Call(nil, &f); len(got) != 0 {
		t.Errorf("attributes %v of facts that say nothing", got)
	}
}
