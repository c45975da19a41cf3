package diagnose

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A drawn span is written down in a line: times are offsets from epoch, kind and service are optional.
type drawn struct {
	id, parent byte
	name       string
	from, to   time.Duration
	attrs      model.Attrs
	kind       model.Kind
	service    string
	failed     bool
	trace      byte
}

func draw(spans ...drawn) []model.Span {
	resources := make(map[string]*model.Resource)
	list := make([]model.Span, len(spans))
	for i, d := range spans {
		if resources[d.service] == nil {
			resources[d.service] = resource(d.service, "1")
		}
		s := model.Span{
			TraceID: model.TraceID{1 + d.trace}, SpanID: model.SpanID{d.id}, ParentID: model.SpanID{d.parent}, Name: d.name,
			Kind: d.kind, Start: epoch + int64(d.from), End: epoch + int64(d.to), Attrs: d.attrs, Resource: resources[d.service],
		}
		if d.failed {
			s.Status = model.StatusError
		}
		list[i] = s
	}
	return list
}

func stage(name string) model.Attrs { return model.Attrs{"ragtrace.stage": name} }

func numbered(name string, number int64) model.Attrs {
	return model.Attrs{"ragtrace.stage": name, "ragtrace.question.number": number, "session.id": "a"}
}

const (
	client = model.KindClient
	server = model.KindServer
)

// parts are the components that are not zero, in ms by name.
func partsOf(q Question) map[string]float64 {
	m := make(map[string]float64)
	for c, d := range q.Components {
		if d != 0 {
			m[Component(c).String()] = float64(d) / float64(ms)
		}
	}
	return m
}

// TestComposition works out by hand where the time of one question went.
func TestComposition(t *testing.T) {
	root := drawn{id: 1, name: "question", to: 1000 * ms, attrs: stage("question")}
	tests := []struct {
		name  string
		spans []drawn
		want  map[string]float64
		flags []string
	}{
		{"no stage at all is a gap, not a start", nil, map[string]float64{"gap": 1000}, nil},
		{"gap before and after, wrapper covers nothing", []drawn{
			{id: 2, parent: 1, name: "retrieval", from: 100 * ms, to: 500 * ms, attrs: model.Attrs{"gen_ai.operation.name": "retrieval"}},
			{id: 3, parent: 2, from: 200 * ms, to: 300 * ms, attrs: stage("embed")},
			{id: 4, parent: 2, from: 350 * ms, to: 500 * ms, attrs: stage("search")},
		}, map[string]float64{"gap.start": 200, "embed": 100, "search": 150, "gap": 550}, nil},
		{"a retrieval without a search below is the search", []drawn{
			{id: 2, parent: 1, from: 100 * ms, to: 500 * ms, attrs: model.Attrs{"gen_ai.operation.name": "retrieval"}},
			{id: 3, parent: 2, from: 200 * ms, to: 300 * ms, attrs: stage("embed")},
		}, map[string]float64{"gap.start": 100, "embed": 100, "search": 300, "gap": 500}, nil},
		{"enter does not end the gap at the start", []drawn{
			{id: 2, parent: 1, to: 50 * ms, attrs: stage("enter")},
			{id: 3, parent: 1, from: 400 * ms, to: 1000 * ms, attrs: stage("answer")},
		}, map[string]float64{"enter": 50, "gap.start": 350, "answer": 600}, nil},
		{"parallel searches count once", []drawn{
			{id: 2, parent: 1, to: 600 * ms, attrs: stage("search")},
			{id: 3, parent: 1, from: 200 * ms, to: 800 * ms, attrs: stage("search")},
			{id: 4, parent: 1, from: 700 * ms, to: 900 * ms, attrs: stage("rerank")},
		}, map[string]float64{"search": 700, "rerank": 200, "gap": 100}, nil},
		{"a load outweighs the embedding around it", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("embed")},
			{id: 3, parent: 2, from: 100 * ms, to: 700 * ms, attrs: stage("embed.load")},
		}, map[string]float64{"embed.load": 600, "embed": 400}, nil},
		{"call with phases: what is left is transport", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 2, from: 10 * ms, to: 30 * ms, attrs: stage("llm.load")},
			{id: 4, parent: 2, from: 30 * ms, to: 40 * ms, attrs: stage("llm.queue")},
			{id: 5, parent: 2, from: 40 * ms, to: 200 * ms, attrs: stage("llm.prefill")},
			{id: 6, parent: 2, from: 200 * ms, to: 900 * ms, attrs: stage("llm.decode")},
			{id: 7, parent: 2, from: 900 * ms, to: 910 * ms, attrs: stage("llm.validation")},
		}, map[string]float64{"llm.load": 20, "llm.queue": 10, "llm.prefill": 160, "llm.decode": 700, "llm.other": 10, "transport": 100}, nil},
		{"server span around phases: other", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 2, from: 100 * ms, to: 900 * ms, attrs: stage("llm"), kind: server, service: "ollama"},
			{id: 4, parent: 3, from: 200 * ms, to: 900 * ms, attrs: stage("llm.decode"), service: "ollama"},
		}, map[string]float64{"llm.other": 100, "llm.decode": 700, "transport": 200}, nil},
		{"call that tells nothing, with connection set-up and a failed attempt", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 2, to: 100 * ms, attrs: model.Attrs{"http.request.method": "POST"}, kind: client, failed: true},
			{id: 4, parent: 3, to: 60 * ms, attrs: stage("connect")},
			{id: 5, parent: 2, from: 250 * ms, to: 1000 * ms, attrs: model.Attrs{"http.request.method": "POST"}, kind: client},
		}, map[string]float64{"retry": 250, "llm.other": 750}, []string{FlagPhasesUnknown}},
		{"call that tells nothing, through a gateway", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 2, from: 20 * ms, to: 980 * ms, attrs: stage("gateway"), kind: server, service: "gateway"},
			{id: 4, parent: 3, from: 100 * ms, to: 300 * ms, kind: client, service: "gateway", failed: true, attrs: model.Attrs{"http.request.method": "POST"}},
			{id: 5, parent: 3, from: 400 * ms, to: 900 * ms, kind: client, service: "gateway", attrs: model.Attrs{"http.request.method": "POST"}},
		}, map[string]float64{"transport": 40, "gateway": 160, "retry": 300, "llm.other": 500}, []string{FlagPhasesUnknown}},
		{"failed call", []drawn{
			{id: 2, parent: 1, to: 400 * ms, attrs: stage("llm"), kind: client, failed: true},
			{id: 3, parent: 1, from: 500 * ms, to: 1000 * ms, attrs: stage("llm"), kind: client},
			{id: 4, parent: 3, from: 500 * ms, to: 1000 * ms, attrs: stage("llm.decode")},
		}, map[string]float64{"retry": 400, "gap": 100, "llm.decode": 500}, nil},
		{"phases from reported durations end with the call", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, kind: client, attrs: model.Attrs{"ragtrace.stage": "llm",
				"ragtrace.llm.load.duration": 0.1, "ragtrace.llm.prefill.duration": 0.2, "ragtrace.llm.decode.duration": 0.6}},
		}, map[string]float64{"transport": 100, "llm.load": 100, "llm.prefill": 200, "llm.decode": 600}, nil},
		{"vLLM's latencies begin with the server's span", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, kind: client, attrs: stage("llm")},
			{id: 3, parent: 2, from: 100 * ms, to: 950 * ms, kind: server, service: "vllm", attrs: model.Attrs{
				"gen_ai.latency.time_in_queue": 0.1, "gen_ai.latency.time_in_model_prefill": 0.2,
				"gen_ai.latency.time_to_first_token": 0.3, "gen_ai.latency.time_in_model_decode": 0.5}},
		}, map[string]float64{"transport": 150, "llm.queue": 100, "llm.prefill": 200, "llm.decode": 500, "llm.other": 50}, nil},
		{"SGLang's prefill has the queue in it", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, kind: client, attrs: stage("llm")},
			{id: 3, parent: 2, from: 100 * ms, to: 950 * ms, kind: server, service: "sglang", attrs: model.Attrs{
				"gen_ai.latency.time_in_queue": 0.1, "gen_ai.latency.time_in_model_prefill": 0.3,
				"gen_ai.latency.time_to_first_token": 0.3, "gen_ai.latency.time_in_model_decode": 0.5}},
		}, map[string]float64{"transport": 150, "llm.queue": 100, "llm.prefill": 200, "llm.decode": 500, "llm.other": 50}, nil},
		{"latencies in nanoseconds", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, kind: client, attrs: stage("llm")},
			{id: 3, parent: 2, from: 100 * ms, to: 950 * ms, kind: server, service: "vllm", attrs: model.Attrs{
				"gen_ai.latency.time_in_queue": int64(100_000_000), "gen_ai.latency.time_in_model_prefill": int64(200_000_000),
				"gen_ai.latency.time_in_model_decode": int64(500_000_000)}},
		}, map[string]float64{"transport": 150, "llm.queue": 100, "llm.prefill": 200, "llm.decode": 500, "llm.other": 50},
			[]string{FlagSuspectUnits}},
		{"an impossible latency of no phase is told too", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, kind: client, attrs: stage("llm")},
			{id: 3, parent: 2, to: 1000 * ms, kind: server, attrs: model.Attrs{
				"gen_ai.latency.time_in_model_decode": 0.4, "gen_ai.latency.e2e": -0.9}},
		}, map[string]float64{"llm.decode": 400, "llm.other": 600}, []string{FlagBadValue}},
		{"impossible durations count as absent", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, kind: client, attrs: model.Attrs{"ragtrace.stage": "llm",
				"ragtrace.llm.load.duration": -9.2e9, "ragtrace.llm.queue.duration": math.NaN(),
				"ragtrace.llm.prefill.duration": 11.0, "ragtrace.llm.decode.duration": 0.6}},
		}, map[string]float64{"transport": 400, "llm.decode": 600}, []string{FlagBadValue}},
		{"impossible spans give their children to their parent", []drawn{
			{id: 2, parent: 1, from: 500 * ms, to: 400 * ms, attrs: stage("search")},
			{id: 3, parent: 2, from: 100 * ms, to: 300 * ms, attrs: stage("embed")},
			{id: 4, parent: 3, to: 10_001 * ms, attrs: stage("gateway")},
			{id: 5, parent: 4, from: 300 * ms, to: 1000 * ms, attrs: stage("rerank")},
		}, map[string]float64{"gap.start": 100, "embed": 200, "rerank": 700}, []string{FlagBadValue}},
		{"orphans become children of the root", []drawn{
			{id: 3, parent: 99, to: 700 * ms, attrs: stage("search")},
			{id: 4, parent: 3, from: 800 * ms, to: 1000 * ms, attrs: stage("rerank")},
		}, map[string]float64{"search": 700, "gap": 100, "rerank": 200}, []string{FlagOrphanSpans}},
		{"orphaned phases still belong to the call around them", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 99, from: 100 * ms, to: 900 * ms, attrs: stage("llm.decode")},
		}, map[string]float64{"transport": 200, "llm.decode": 800}, []string{FlagOrphanSpans}},
		{"a call that took in an orphaned server knows its phases", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 99, from: 100 * ms, to: 900 * ms, attrs: stage("llm"), kind: server},
			{id: 4, parent: 3, from: 100 * ms, to: 400 * ms, attrs: stage("llm.decode")},
		}, map[string]float64{"transport": 200, "llm.decode": 300, "llm.other": 500}, []string{FlagOrphanSpans}},
		{"orphaned server goes to the shortest call around it", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 1, from: 100 * ms, to: 600 * ms, attrs: stage("llm"), kind: client},
			{id: 4, parent: 99, from: 200 * ms, to: 500 * ms, attrs: stage("llm"), kind: server},
			{id: 5, parent: 4, from: 200 * ms, to: 500 * ms, attrs: stage("llm.decode")},
		}, map[string]float64{"llm.other": 700, "llm.decode": 300}, []string{FlagOrphanSpans, FlagPhasesUnknown}},
		{"duplicates weigh nothing", []drawn{
			{id: 2, parent: 1, to: 700 * ms, attrs: stage("search")},
			{id: 2, parent: 1, to: 700 * ms, attrs: stage("search")},
		}, map[string]float64{"search": 700, "gap": 300}, []string{FlagDuplicateSpans}},
		{"another clock: middle to middle", []drawn{
			{id: 2, parent: 1, from: 100 * ms, to: 900 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 2, from: 7000 * ms, to: 7600 * ms, attrs: stage("llm"), kind: server, service: "ollama"},
			{id: 4, parent: 3, from: 7000 * ms, to: 7200 * ms, attrs: stage("llm.prefill"), service: "ollama"},
			{id: 5, parent: 3, from: 7200 * ms, to: 7600 * ms, attrs: stage("llm.decode"), service: "ollama"},
		}, map[string]float64{"gap.start": 100, "transport": 200, "llm.prefill": 200, "llm.decode": 400, "gap": 100},
			[]string{FlagClockAdjusted}},
		{"another clock, longer than its parent: start to start", []drawn{
			{id: 2, parent: 1, to: 500 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 2, from: 7000 * ms, to: 7600 * ms, attrs: stage("llm.decode"), service: "ollama"},
		}, map[string]float64{"llm.decode": 600, "gap": 400}, []string{FlagClockAdjusted}},
		{"children of one other service move together", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 2, from: -300 * ms, to: 100 * ms, attrs: stage("llm.prefill"), service: "ollama"},
			{id: 4, parent: 2, from: 200 * ms, to: 500 * ms, attrs: stage("llm.decode"), service: "ollama"},
		}, map[string]float64{"llm.prefill": 400, "llm.decode": 300, "transport": 300}, []string{FlagClockAdjusted}},
		{"a millisecond outside is no other clock", []drawn{
			{id: 2, parent: 1, from: 100 * ms, to: 900 * ms, attrs: stage("llm"), kind: client},
			{id: 3, parent: 2, from: 99 * ms, to: 900 * ms, attrs: stage("llm.decode"), service: "ollama"},
		}, map[string]float64{"gap.start": 99, "llm.decode": 801, "gap": 100}, nil},
		{"the root's own service is clipped, not moved", []drawn{
			{id: 2, parent: 1, from: 900 * ms, to: 1200 * ms, attrs: stage("search")},
		}, map[string]float64{"gap.start": 900, "search": 100}, nil},
		{"parts that exceed the whole", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, kind: client, attrs: model.Attrs{"ragtrace.stage": "llm",
				"ragtrace.llm.load.duration": 0.8, "ragtrace.llm.decode.duration": 0.6}},
			{id: 3, parent: 2, from: 100 * ms, to: 1000 * ms, attrs: stage("llm.decode")},
		}, map[string]float64{"transport": 100, "llm.decode": 900}, []string{FlagPartsExceedWhole}},
		{"writes are no search", []drawn{
			{id: 2, parent: 1, from: 100 * ms, to: 300 * ms, attrs: model.Attrs{"db.system.name": "qdrant", "db.operation.name": "query_points"}},
			{id: 3, parent: 1, from: 300 * ms, to: 900 * ms, attrs: model.Attrs{"db.system": "Chroma", "db.operation": "Upsert"}},
		}, map[string]float64{"gap.start": 100, "search": 200, "gap": 700}, nil},
		{"a stage that nobody knows covers nothing", []drawn{
			{id: 2, parent: 1, to: 1000 * ms, attrs: stage("guardrail")},
		}, map[string]float64{"gap": 1000}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			questions := Cut(draw(append([]drawn{root}, test.spans...)...))
			if len(questions) != 1 {
				t.Fatalf("%d questions", len(questions))
			}
			q := questions[0]
			if diff := cmp.Diff(test.want, partsOf(q)); diff != "" {
				t.Errorf("components (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.flags, q.Flags); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
			if q.Components.Total() != q.E2E() {
				t.Errorf("components add up to %v of %v", q.Components.Total(), q.E2E())
			}
		})
	}
}

// id names a question in a test.
type id struct {
	Session string
	Number  int
	Status  Status
	Timed   bool
}

func ids(questions []Result) []id {
	var list []id
	for _, q := range questions {
		list = append(list, id{q.Session, q.Number, q.Status, q.Timed})
	}
	return list
}

// TestQuestions finds questions, their sessions, numbers and status.
func TestQuestions(t *testing.T) {
	chat := model.Attrs{"gen_ai.operation.name": "chat"}
	tests := []struct {
		name  string
		spans []drawn
		want  []id
	}{
		{"health check and ingestion", []drawn{
			{id: 1, name: "GET /healthz", to: 2 * ms},
			{id: 1, trace: 1, name: "ingest", to: 900 * ms},
			{id: 2, trace: 1, parent: 1, to: 300 * ms, attrs: model.Attrs{"gen_ai.operation.name": "embeddings"}},
		}, nil},
		{"top of a trace that calls an LLM; numbers by place", []drawn{
			{id: 1, trace: 1, name: "POST /ask", from: 5000 * ms, to: 6000 * ms, kind: server},
			{id: 2, trace: 1, parent: 1, from: 5100 * ms, to: 5900 * ms, attrs: model.Attrs{"gen_ai.operation.name": "chat", "session.id": "s"}, kind: client},
			{id: 1, name: "POST /ask", to: 1000 * ms, kind: server},
			{id: 2, parent: 1, to: 900 * ms, attrs: model.Attrs{"gen_ai.operation.name": "chat", "session.id": "s"}, kind: client},
		}, []id{{"s", 1, StatusOK, true}, {"s", 2, StatusOK, true}}},
		{"only a server's span of a call that is not there", []drawn{
			{id: 1, name: "llm_request", to: 900 * ms, attrs: model.Attrs{"gen_ai.latency.e2e": 0.9}, kind: server},
		}, nil},
		{"conversation before session, root before members", []drawn{
			{id: 1, to: 1000 * ms, attrs: model.Attrs{"ragtrace.stage": "question", "session.id": "second", "gen_ai.conversation.id": "first"}},
			{id: 2, parent: 1, to: 10 * ms, attrs: model.Attrs{"gen_ai.conversation.id": "third", "ragtrace.question.number": int64(7)}},
		}, []id{{"first", 7, StatusOK, true}}},
		{"two roots in a trace, orphans by number", []drawn{
			{id: 1, name: "chat session", to: 9000 * ms},
			{id: 2, parent: 1, to: 1000 * ms, attrs: numbered("question", 1)},
			{id: 3, parent: 1, from: 2000 * ms, to: 3000 * ms, attrs: numbered("question", 2)},
			{id: 4, parent: 99, from: 2000 * ms, to: 2100 * ms, attrs: numbered("search", 2)},
		}, []id{{"a", 1, StatusOK, true}, {"a", 2, StatusOK, true}}},
		{"a workflow within a question is no question", []drawn{
			{id: 1, to: 1000 * ms, attrs: numbered("question", 1)},
			{id: 2, parent: 1, to: 900 * ms, attrs: model.Attrs{"gen_ai.operation.name": "invoke_workflow"}},
		}, []id{{"a", 1, StatusOK, true}}},
		{"nor is the same question in another service", []drawn{
			{id: 1, to: 1000 * ms, attrs: numbered("question", 1)},
			{id: 2, parent: 1, to: 900 * ms, attrs: numbered("question", 1), service: "backend"},
		}, []id{{"a", 1, StatusOK, true}}},
		{"missing root", []drawn{
			{id: 2, parent: 1, to: 900 * ms, attrs: numbered("embed", 3)},
			{id: 3, parent: 1, to: 900 * ms, attrs: numbered("llm", 3), kind: client},
		}, []id{{"a", 3, StatusIncomplete, false}}},
		{"a root with impossible times is a missing one", []drawn{
			{id: 1, from: 900 * ms, to: 0, attrs: numbered("question", 3)},
			{id: 3, parent: 1, to: 900 * ms, attrs: numbered("llm", 3), kind: client},
		}, []id{{"a", 3, StatusIncomplete, false}}},
		{"cancelled, failed, broken off", []drawn{
			{id: 1, to: 900 * ms, failed: true, attrs: model.Attrs{"ragtrace.stage": "question", "error.type": "context.Canceled"}},
			{id: 1, trace: 1, from: 1000 * ms, to: 1900 * ms, failed: true,
				attrs: model.Attrs{"ragtrace.stage": "question", "http.response.status_code": int64(499)}},
			{id: 1, trace: 2, from: 2000 * ms, to: 2900 * ms, failed: true, attrs: model.Attrs{"ragtrace.stage": "question", "error.type": "500"}},
			{id: 1, trace: 3, from: 3000 * ms, to: 3900 * ms, attrs: stage("question")},
			{id: 2, trace: 3, parent: 1, from: 3000 * ms, to: 3100 * ms, attrs: chat, kind: client, failed: true},
			{id: 3, trace: 3, parent: 1, from: 3200 * ms, to: 3900 * ms, kind: client,
				attrs: model.Attrs{"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": []any{"error"}}},
			{id: 1, trace: 5, from: 5000 * ms, to: 5900 * ms, attrs: stage("question")},
			{id: 2, trace: 5, parent: 1, from: 5000 * ms, to: 5100 * ms, kind: client,
				attrs: model.Attrs{"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": `["stop","error"]`}},
			{id: 1, trace: 4, from: 4000 * ms, to: 4900 * ms, attrs: stage("question")},
			{id: 2, trace: 4, parent: 1, from: 4000 * ms, to: 4100 * ms, attrs: chat, kind: client, failed: true},
		}, []id{
			{"", 1, StatusCancelled, true}, {"", 2, StatusCancelled, true}, {"", 3, StatusError, true},
			{"", 4, StatusIncomplete, true}, {"", 5, StatusOK, true},
			{"", 6, StatusIncomplete, true},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := Judge(Cut(draw(test.spans...)))
			if diff := cmp.Diff(test.want, ids(r.Questions)); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOrphanGoesToItsNumber checks that of two roots the one with the orphan's number gets it.
func TestOrphanGoesToItsNumber(t *testing.T) {
	questions := CutTrace(draw(
		drawn{id: 2, parent: 1, to: 1000 * ms, attrs: numbered("question", 1)},
		drawn{id: 3, parent: 1, from: 2000 * ms, to: 3000 * ms, attrs: numbered("question", 2)},
		drawn{id: 4, parent: 99, from: 2000 * ms, to: 2100 * ms, attrs: numbered("search", 2)},
	))
	if diff := cmp.Diff(map[string]float64{"gap": 1000}, partsOf(questions[0])); diff != "" {
		t.Errorf("question 1 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]float64{"search": 100, "gap": 900}, partsOf(questions[1])); diff != "" {
		t.Errorf("question 2 (-want +got):\n%s", diff)
	}
	if slices.Contains(questions[0].Flags, FlagOrphanSpans) || !slices.Contains(questions[1].Flags, FlagOrphanSpans) {
		t.Errorf("flags %v and %v", questions[0].Flags, questions[1].Flags)
	}
}

// TestOrphanGoesToOneRootInAnyOrder has two roots that could both take an orphan.
func TestOrphanGoesToOneRootInAnyOrder(t *testing.T) {
	for name, c := range map[string]struct {
		spans []drawn
		taker int // by start
	}{
		"of one number, to the one in whose time it starts": {[]drawn{
			{id: 1, to: 1000 * ms, attrs: numbered("question", 4)},
			{id: 2, from: 5000 * ms, to: 6000 * ms, attrs: numbered("question", 4)},
			{id: 3, parent: 99, from: 5100 * ms, to: 5900 * ms, attrs: numbered("search", 4)},
		}, 1},
		"without numbers and at once, to the first": {[]drawn{
			{id: 1, to: 1000 * ms, attrs: model.Attrs{"ragtrace.stage": "question"}},
			{id: 2, from: 100 * ms, to: 1100 * ms, attrs: model.Attrs{"ragtrace.stage": "question"}},
			{id: 3, parent: 99, from: 200 * ms, to: 900 * ms, attrs: model.Attrs{"ragtrace.stage": "search"}},
		}, 0},
	} {
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			var spans []drawn
			for _, i := range order {
				spans = append(spans, c.spans[i])
			}
			questions := CutTrace(draw(spans...))
			slices.SortFunc(questions, func(a, b Question) int { return byStart(&a, &b) })
			if len(questions) != 2 {
				t.Fatalf("%s: %d questions", name, len(questions))
			}
			for i, q := range questions {
				if has := q.Components[Search] > 0; has != (i == c.taker) {
					t.Errorf("%s, spans in the order %v: question %d searches for %v", name, order, i+1, q.Components[Search])
				}
			}
		}
	}
}

// TestOtherTracersCalls reads spans of the Vercel AI SDK, and Ollama's durations as OpenLLMetry passes them on: a call of 1000 ms
// that ends with 200 ms of prefill and 500 ms of decode after 300 ms of load.
func TestOtherTracersCalls(t *testing.T) {
	questions := CutTrace(draw(
		drawn{id: 1, to: 1200 * ms, attrs: model.Attrs{"ai.operationId": "ai.streamText", "gen_ai.request.model": "m"}},
		drawn{id: 2, parent: 1, from: 100 * ms, to: 1100 * ms, kind: client, attrs: model.Attrs{
			"ai.operationId": "ai.streamText.doStream", "gen_ai.request.model": "m",
			"llm.ollama.load_duration": int64(300 * ms), "llm.ollama.prompt_eval_duration": int64(200 * ms), "llm.ollama.eval_duration": int64(500 * ms),
		}},
	))
	if len(questions) != 1 {
		t.Fatalf("%d questions", len(questions))
	}
	want := map[string]float64{"llm.load": 300, "llm.prefill": 200, "llm.decode": 500, "gap.start": 100, "gap": 100}
	if diff := cmp.Diff(want, partsOf(questions[0])); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

// TestMissingRootKeepsItsCalls has one number in the trace: it is the number of all that the missing root held together.
func TestMissingRootKeepsItsCalls(t *testing.T) {
	chat := model.Attrs{"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
	for name, numbers := range map[string][]int64{"one number": {3}, "two numbers": {3, 4}} {
		spans := []drawn{{id: 9, parent: 99, from: 100 * ms, to: 900 * ms, attrs: chat, kind: client}}
		for i, n := range numbers {
			spans = append(spans, drawn{id: byte(i + 1), parent: 99, to: 100 * ms, attrs: numbered("search", n)})
		}
		questions := Cut(draw(spans...))
		if len(questions) != len(numbers) {
			t.Fatalf("%s: %d questions", name, len(questions))
		}
		want := 0 // of two, nobody knows whose it is
		if len(numbers) == 1 {
			want = 1
		}
		if got := questions[0].Calls; len(got) != want {
			t.Errorf("%s: calls %v, want %d", name, got, want)
		}
	}
}

// TestFirstToken reads the names under which others tell the first token, in their units.
func TestFirstToken(t *testing.T) {
	start := time.Unix(0, epoch).UTC()
	tests := []struct {
		name  string
		attrs model.Attrs
		event string
		want  time.Duration
		ruler Ruler
	}{
		{"seconds at the client", model.Attrs{"gen_ai.response.time_to_first_chunk": 0.3}, "", 400 * ms, RulerClient},
		{"a moment as text", model.Attrs{"langfuse.observation.completion_start_time": start.Add(400 * ms).Format(time.RFC3339Nano)}, "",
			400 * ms, RulerClient},
		{"the same in quotes", model.Attrs{"langfuse.observation.completion_start_time": `"` + start.Add(400*ms).Format(time.RFC3339Nano) + `"`},
			"", 400 * ms, RulerClient},
		{"milliseconds", model.Attrs{"ai.response.msToFirstChunk": 300.0}, "", 400 * ms, RulerClient},
		{"Unix milliseconds in JSON", model.Attrs{"langwatch.timestamps": `{"first_token_at": 1800000000400}`}, "", 400 * ms, RulerClient},
		{"an event", nil, "first_chunk", 400 * ms, RulerClient},
		{"seconds at the server", model.Attrs{"gen_ai.latency.time_to_first_token": 0.3}, "", 400 * ms, RulerServer},
		{"client before server", model.Attrs{"gen_ai.latency.time_to_first_token": 0.2, "gen_ai.response.time_to_first_chunk": 0.3}, "",
			400 * ms, RulerClient},
		{"longer than the call", model.Attrs{"gen_ai.response.time_to_first_chunk": 300.0}, "", 0, RulerNone},
		{"negative", model.Attrs{"gen_ai.response.time_to_first_chunk": -1.0}, "", 0, RulerNone},
		{"nothing", nil, "", 0, RulerNone},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			attrs := model.Attrs{"gen_ai.operation.name": "chat"}
			for k, v := range test.attrs {
				attrs[k] = v
			}
			spans := draw(
				drawn{id: 1, to: 1000 * ms, attrs: stage("question")},
				drawn{id: 2, parent: 1, from: 100 * ms, to: 900 * ms, attrs: attrs, kind: client},
			)
			if test.event != "" {
				spans[1].Events = []model.Event{{Time: epoch + int64(400*ms), Name: test.event}}
			}
			q := Cut(spans)[0]
			if d := q.TTFT - test.want; d > time.Microsecond || d < -time.Microsecond || q.TTFTRuler != test.ruler {
				t.Errorf("TTFT = %v by %q, want %v by %q", q.TTFT, q.TTFTRuler, test.want, test.ruler)
			}
		})
	}
	t.Run("the user before the client", func(t *testing.T) {
		q := Cut(draw(
			drawn{id: 1, to: 1000 * ms, attrs: stage("question")},
			drawn{id: 2, parent: 1, from: 100 * ms, to: 900 * ms, kind: client,
				attrs: model.Attrs{"gen_ai.operation.name": "chat", "gen_ai.response.time_to_first_chunk": 0.3}},
			drawn{id: 3, parent: 1, from: 450 * ms, to: 950 * ms, attrs: stage("answer")},
		))[0]
		if q.TTFT != 450*ms || q.TTFTRuler != RulerUser {
			t.Errorf("TTFT = %v by %q", q.TTFT, q.TTFTRuler)
		}
	})
}

// TestTokens reads token counts under their various names.
func TestTokens(t *testing.T) {
	tests := []struct {
		name  string
		attrs model.Attrs
	}{
		{"newest", model.Attrs{"gen_ai.usage.input_tokens": int64(9), "gen_ai.usage.output_tokens": int64(5), "gen_ai.usage.cache_read.input_tokens": int64(3)}},
		{"older", model.Attrs{"gen_ai.usage.prompt_tokens": int64(9), "gen_ai.usage.completion_tokens": 5.0, "gen_ai.usage.cache_read_input_tokens": int64(3)}},
		{"OpenInference", model.Attrs{"llm.token_count.prompt": int64(9), "llm.token_count.completion": int64(5), "llm.token_count.prompt_details.cache_read": int64(3)}},
		{"Langfuse", model.Attrs{"langfuse.observation.usage_details": `{"input":9,"output":5,"cache_read_input_tokens":3}`}},
		{"LangWatch", model.Attrs{"langwatch.metrics": `{"type":"json","value":{"promptTokens":9,"completionTokens":5}}`, "gen_ai.usage.cached_tokens": int64(3)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.attrs["openinference.span.kind"] = "LLM"
			q := Cut(draw(
				drawn{id: 1, to: 1000 * ms, attrs: stage("question")},
				drawn{id: 2, parent: 1, to: 900 * ms, attrs: test.attrs, kind: client},
			))[0]
			c := q.Calls[0]
			if c.Input != 9 || c.Output != 5 || c.Cached != 3 {
				t.Errorf("tokens %d, %d, %d, want 9, 5, 3", c.Input, c.Output, c.Cached)
			}
		})
	}
}
