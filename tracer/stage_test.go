package tracer_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

func TestStages(t *testing.T) {
	rec := tracertest.New(t)
	opt := tracer.WithTracerProvider(rec.TracerProvider())
	ctx, q := tracer.Ask(t.Context(), "stages", opt)

	ctx2, rerank := tracer.Stage(ctx, stages.Rerank)
	rerank.Model("bge")
	rerank.TopK(5)
	rerank.Inputs(20)
	rerank.Hits(5)
	_, inner := tracer.Stage(ctx2, "tokenise")
	inner.End(nil)
	rerank.End(nil)
	rerank.End(errors.New("twice"))
	rerank.Hits(99)

	_, search := tracer.Stage(ctx, stages.Search)
	search.Database("postgresql", "SELECT")
	search.Collection("docs")
	search.TopK(10)
	search.Hits(7)
	search.End(errors.New("index is locked"))
	_, embed := tracer.Stage(ctx, stages.Embed)
	embed.Model("minilm")
	embed.Inputs(2)
	embed.End(nil)
	q.End(nil)

	want := `question
├─ rerank
│  └─ tokenise
├─ search error
└─ embed
`
	if diff := cmp.Diff(want, rec.Tree()); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	common := func(stage, kind string, more obj) obj {
		a := obj{"ragtrace.stage": stage, "ragtrace.inside_llm": false, "ragtrace.timing.source": "measured", "openinference.span.kind": kind,
			"ragtrace.question.number": int64(1), "session.id": "stages", "gen_ai.conversation.id": "stages"}
		for k, v := range more {
			a[k] = v
		}
		return a
	}
	for name, want := range map[string]obj{
		"rerank": common("rerank", "RERANKER", obj{"gen_ai.operation.name": "rerank", "gen_ai.request.model": "bge", "ragtrace.rerank.top_n": int64(5),
			"reranker.top_k": int64(5), "ragtrace.rerank.candidate.count": int64(20), "ragtrace.rerank.result.count": int64(5)}),
		"search": common("search", "CHAIN", obj{"db.system.name": "postgresql", "db.operation.name": "SELECT", "db.collection.name": "docs",
			"ragtrace.search.top_k": int64(10), "db.response.returned_rows": int64(7), "error.type": "*errors.errorString"}),
		"embed": common("embed", "EMBEDDING", obj{"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "minilm", "ragtrace.embedding.input.count": int64(2)}),
	} {
		if diff := cmp.Diff(want, obj(attrsOf(only(t, rec, name)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if s := only(t, rec, "search").Status(); s.Code != codes.Error || s.Description != "index is locked" {
		t.Errorf("status %v", s)
	}
}

// Methods on nil do nothing, so that nobody has to ask whether there is a question.
func TestNilReceivers(t *testing.T) {
	var q *tracer.Question
	q.SetSession("s", 1)
	q.FirstByte()
	q.End(nil)
	if q.Session() != "" || q.Number() != 0 || tracer.QuestionFrom(t.Context()) != nil {
		t.Error("nil has a session")
	}
	var s *tracer.ActiveStage
	s.Model("m")
	s.TopK(1)
	s.Hits(1)
	s.Inputs(1)
	s.Collection("c")
	s.Database("postgresql", "SELECT")
	s.End(nil)
}

// A command line asks: the answer goes from its first byte to the end.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := tracertest.New(t)
		start := time.Now()
		_, q := tracer.Ask(t.Context(), "", tracer.WithTracerProvider(rec.TracerProvider()))
		time.Sleep(time.Second)
		q.FirstByte()
		time.Sleep(2 * time.Second)
		q.FirstByte()
		q.End(nil)
		q.End(errors.New("twice"))
		answer := only(t, rec, "answer")
		if a, b := answer.StartTime().Sub(start), answer.EndTime().Sub(start); a != time.Second || b != 3*time.Second {
			t.Errorf("answer from %v to %v, want 1s to 3s", a, b)
		}
		if s := only(t, rec, "question").Status(); s.Code != codes.Unset {
			t.Errorf("status %v", s)
		}
	})
}

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := sdkmetric.NewManualReader()
		meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
		w := newWorld(t, coldOllama())
		opts := append(w.opts, tracer.WithMeterProvider(meters), tracer.WithPipeline("docs-qa"))
		w.client.Transport = tracer.Transport(w.bare.Transport, opts...)
		ctx, q := tracer.Ask(t.Context(), "metrics", opts...)
		drain(t, w.post(ctx, t, "http://ollama:11434/api/embed", obj{"model": "nomic", "input": "why?"}))
		drain(t, w.post(ctx, t, "http://ollama:11434/api/chat", chat("llama3.2")))
		q.End(nil)

		var got metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		sums := make(map[string]float64)
		for _, m := range got.ScopeMetrics[0].Metrics {
			for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				if len(p.Bounds) < 14 || p.Bounds[len(p.Bounds)-1] != 81.92 {
					t.Errorf("%s: buckets %v", m.Name, p.Bounds)
				}
				key := m.Name
				for _, kv := range p.Attributes.ToSlice() {
					key += " " + string(kv.Key) + "=" + kv.Value.String()
				}
				sums[key] = p.Sum
			}
		}
		const call = " gen_ai.operation.name=chat gen_ai.provider.name=ollama gen_ai.request.model=llama3.2 gen_ai.response.model=llama3.2 server.address=ollama server.port=11434"
		// The embedder: 4 ms handling, 1 s load, 10 ms for the text. The chat: see TestColdChat.
		want := map[string]float64{
			"gen_ai.client.inference.duration" + call:            2.205,
			"gen_ai.client.inference.time_to_first_chunk" + call: 2.105,
			"gen_ai.client.embeddings.duration" + " gen_ai.operation.name=embeddings gen_ai.provider.name=ollama gen_ai.request.model=nomic gen_ai.response.model=nomic server.address=ollama server.port=11434": 1.014,
			"ragtrace.question.duration gen_ai.agent.name=docs-qa":   3.219,
			"ragtrace.stage.duration ragtrace.stage=embed":           1.014,
			"ragtrace.stage.duration ragtrace.stage=llm":             2.205,
			"ragtrace.llm.phase.duration ragtrace.llm.phase=load":    2.004,
			"ragtrace.llm.phase.duration ragtrace.llm.phase=prefill": 0.1,
			"ragtrace.llm.phase.duration ragtrace.llm.phase=decode":  0.101,
		}
		if diff := cmp.Diff(want, sums, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
