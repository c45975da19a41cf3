package tracer

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// An ActiveStage is work going on inside the process. Its methods may be called on nil, where they do nothing.
type ActiveStage struct {
	ctx   context.Context
	span  trace.Span
	cfg   *config
	q     *Question
	stage stages.Stage
	start time.Time

	mu    sync.Mutex
	ended bool
	attrs []attribute.KeyValue // set at the end, all at once
	space [4]attribute.KeyValue
}

// Stage opens a span for work inside the process that no HTTP call shows: an in-process reranker or embedder, building the
// prompt, an embedded vector store. Call [ActiveStage.End] when it is done, and pass the returned context to what it calls.
func Stage(ctx context.Context, stage stages.Stage, opts ...Option) (context.Context, *ActiveStage) {
	a, ctx := beginStage(ctx, stage, opts)
	return ctx, a
}

func beginStage(ctx context.Context, stage stages.Stage, opts []Option) (a *ActiveStage, inner context.Context) {
	inner = ctx
	defer guard()
	q := QuestionFrom(ctx)
	cfg, tracer := scope(ctx, q, opts)
	a = &ActiveStage{cfg: cfg, q: q, stage: stage, start: time.Now()}
	inner, a.span = q.identity().start(ctx, tracer, string(stage), stageAttrs(stage))
	a.ctx = inner
	a.attrs = a.space[:0]
	return a, inner
}

// stageAttrs are the attributes that every in-process span of a stage begins with.
func stageAttrs(stage stages.Stage) trace.SpanStartOption {
	if o, ok := knownStages[stage]; ok {
		return o
	}
	return newStageAttrs(stage)
}

// knownStages hold what does not change, which saves two allocations a span.
var knownStages = func() map[stages.Stage]trace.SpanStartOption {
	m := make(map[stages.Stage]trace.SpanStartOption)
	for _, s := range []stages.Stage{
		stages.Enter, stages.Prepare, stages.Embed, stages.EmbedLoad, stages.EmbedCompute, stages.Search,
		stages.SearchServer, stages.Rerank, stages.RerankServer, stages.Prompt, stages.Gateway, stages.LLM, stages.LLMQueue,
		stages.LLMLoad, stages.LLMPrefill, stages.LLMDecode, stages.LLMOther, stages.Connect, stages.Answer,
	} {
		m[s] = newStageAttrs(s)
	}
	return m
}()

func newStageAttrs(stage stages.Stage) trace.SpanStartOption {
	attrs := []attribute.KeyValue{
		attr.Stage.String(string(stage)),
		attr.InsideLLM.Bool(stage.InsideLLM()),
		attr.TimingSource.String(string(stages.Measured)),
		attr.SpanKind.String(attr.KindOf(stage)),
	}
	if op := attr.OperationOf(stage); op != "" {
		attrs = append(attrs, attr.OperationName.String(op))
	}
	return trace.WithAttributes(attrs...)
}

// scope finds where spans go: to what opts say, else to where the question's go, else to the global provider.
func scope(ctx context.Context, q *Question, opts []Option) (*config, trace.Tracer) {
	if q != nil && len(opts) == 0 {
		return q.cfg, q.tracer
	}
	cfg := defaultConfig()
	if len(opts) > 0 {
		cfg = newConfig(opts)
	}
	if q != nil && cfg.tracers == nil {
		return cfg, q.tracer
	}
	return cfg, cfg.tracer()
}

// Model names the model that does the work.
func (a *ActiveStage) Model(name string) { a.set(attr.RequestModel.String(name)) }

// Collection names the collection that is searched.
func (a *ActiveStage) Collection(name string) { a.set(semconv.DBCollectionName(name)) }

// Database names the system that is searched as the OpenTelemetry conventions do, such as "postgresql", and the operation
// as that system calls it.
func (a *ActiveStage) Database(system, operation string) {
	a.set(semconv.DBSystemNameKey.String(system), semconv.DBOperationName(operation))
}

// TopK says how many hits a search, or results a reranker, was asked for.
func (a *ActiveStage) TopK(n int) {
	if a == nil {
		return
	}
	if a.stage == stages.Rerank {
		a.set(attr.RerankTopN.Int(n), attr.RerankerTopK.Int(n))
		return
	}
	a.set(attr.SearchTopK.Int(n))
}

// Hits says how many hits a search, or results a reranker, gave.
func (a *ActiveStage) Hits(n int) {
	if a == nil {
		return
	}
	if a.stage == stages.Rerank {
		a.set(attr.RerankResultCount.Int(n))
		return
	}
	a.set(semconv.DBResponseReturnedRows(n))
}

// Inputs says how many texts are embedded, or how many candidates are reranked.
func (a *ActiveStage) Inputs(n int) {
	if a == nil {
		return
	}
	if a.stage == stages.Rerank {
		a.set(attr.RerankCandidateCount.Int(n))
		return
	}
	a.set(attr.EmbedInputCount.Int(n))
}

func (a *ActiveStage) set(attrs ...attribute.KeyValue) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.attrs = append(a.attrs, attrs...)
	}
}

// End ends the stage; err says why it failed. Only the first call counts.
func (a *ActiveStage) End(err error) {
	if a == nil {
		return
	}
	defer guard()
	a.mu.Lock()
	if a.ended {
		a.mu.Unlock()
		return
	}
	a.ended = true
	attrs := a.attrs
	a.mu.Unlock()
	f := failureOf(err)
	if f.kind == canceled {
		a.q.interrupt()
	}
	a.span.SetAttributes(f.onto(a.span, attrs)...)
	a.span.End()
	measureStage(a.ctx, a.cfg, a.stage, time.Since(a.start), f)
}
