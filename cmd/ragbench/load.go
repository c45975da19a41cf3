//go:build linux

package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

const (
	spansPerQuestion    = 12
	questionsPerRequest = 40 // 480 spans, about what an SDK sends at once
	questionsPerSession = 10
	// every is how far the questions are apart: a million spans are a day.
	every = time.Second
	// coldEvery is how many sessions there are to one whose first question loads the model.
	coldEvery = 50
)

func wholeQuestions(spans int) int { return spans / spansPerQuestion * spansPerQuestion }

// A load is the same questions every time, but for when they were asked: the last one, just now.
type load struct {
	questions int
	end       time.Time
}

// request is the nth request, or nil behind the last.
func (l *load) request(n int) *coltracepb.ExportTraceServiceRequest {
	first := n * questionsPerRequest
	if first >= l.questions {
		return nil
	}
	scope := &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: "github.com/ragtrace/ragtrace/tracer", Version: "1.0.0"}}
	for q := first; q < min(first+questionsPerRequest, l.questions); q++ {
		scope.Spans = append(scope.Spans, l.question(q)...)
	}
	return &coltracepb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: &resourcepb.Resource{Attributes: []*commonpb.KeyValue{
			text("service.name", "ragapp"), text("service.version", "1.0.0"), text("service.instance.id", "ragapp-1"),
			text("host.name", "bench"), text("telemetry.sdk.language", "go"), text("telemetry.sdk.name", "opentelemetry"),
		}},
		ScopeSpans: []*tracepb.ScopeSpans{scope},
	}}}
}

// traceID is the id of question q.
func traceID(q int) []byte {
	random := rand.New(rand.NewPCG(uint64(q), 1))
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, random.Uint64()), random.Uint64()|1)
}

// A step is a span of a question, which starts when the one before it in its parent has ended.
type step struct {
	name, stage string
	parent      int
	inside      bool
	kind        tracepb.Span_SpanKind
	took        time.Duration
	attrs       []*commonpb.KeyValue
}

// question are the spans of question q as the tracer makes them.
func (l *load) question(q int) []*tracepb.Span {
	random := rand.New(rand.NewPCG(uint64(q), 2))
	about := func(d time.Duration) time.Duration { return d*9/10 + time.Duration(random.Int64N(int64(d/5+1))) }
	session, number := q/questionsPerSession, q%questionsPerSession+1
	loading := about(4 * time.Millisecond)
	if number == 1 && session%coldEvery == 0 {
		loading = about(4 * time.Second)
	}
	prefill, decode := about(180*time.Millisecond), about(2*time.Second)
	input, output := int64(900+random.IntN(600)), int64(80+random.IntN(200))
	llm := loading + prefill + decode + 3*time.Millisecond
	ms := time.Millisecond
	const server, client, internal = tracepb.Span_SPAN_KIND_SERVER, tracepb.Span_SPAN_KIND_CLIENT, tracepb.Span_SPAN_KIND_INTERNAL
	steps := []step{
		{"question", "question", -1, false, server, 0, []*commonpb.KeyValue{
			text("gen_ai.operation.name", "invoke_workflow"), text("gen_ai.agent.name", "docs"), text("openinference.span.kind", "CHAIN"),
			text("http.request.method", "POST"), text("http.route", "/ask"), whole("http.response.status_code", 200)}},
		{"prepare", "prepare", 0, false, internal, about(2 * ms), nil},
		{"embeddings nomic-embed-text", "embed", 0, false, client, about(25 * ms), []*commonpb.KeyValue{
			text("gen_ai.operation.name", "embeddings"), text("gen_ai.provider.name", "ollama"), text("gen_ai.request.model", "nomic-embed-text"),
			whole("gen_ai.embeddings.dimension.count", 768), text("server.address", "127.0.0.1"), whole("server.port", 11434)}},
		{"query docs", "search", 0, false, client, about(12 * ms), []*commonpb.KeyValue{
			text("db.system.name", "weaviate"), text("db.operation.name", "query"), text("db.collection.name", "docs"),
			whole("db.response.returned_rows", 20), text("server.address", "127.0.0.1"), whole("server.port", 8081)}},
		{"rerank", "rerank", 0, false, client, about(40 * ms), []*commonpb.KeyValue{
			text("gen_ai.operation.name", "rerank"), text("gen_ai.request.model", "bge-reranker-v2-m3"), whole("ragtrace.rerank.documents", 20)}},
		{"prompt", "prompt", 0, false, internal, about(ms), []*commonpb.KeyValue{whole("ragtrace.prompt.documents", 5)}},
		{"chat llama3.2:3b", "llm", 0, true, client, llm, []*commonpb.KeyValue{
			text("gen_ai.operation.name", "chat"), text("gen_ai.provider.name", "ollama"), text("gen_ai.request.model", "llama3.2:3b"),
			text("gen_ai.response.model", "llama3.2:3b"), whole("gen_ai.usage.input_tokens", input), whole("gen_ai.usage.output_tokens", output),
			text("server.address", "127.0.0.1"), whole("server.port", 11434), whole("http.response.status_code", 200),
			number64("gen_ai.response.time_to_first_chunk", (loading + prefill).Seconds()), number64("ragtrace.llm.load.duration", loading.Seconds()),
			number64("ragtrace.llm.prefill.duration", prefill.Seconds()), number64("ragtrace.llm.decode.duration", decode.Seconds())}},
		{"POST", "", 6, false, client, llm - ms, []*commonpb.KeyValue{
			text("http.request.method", "POST"), text("url.full", "http://127.0.0.1:11434/api/chat"), whole("http.response.status_code", 200)}},
		{"llm.load", "llm.load", 6, true, internal, loading, []*commonpb.KeyValue{text("ragtrace.timing.source", "reported")}},
		{"llm.prefill", "llm.prefill", 6, true, internal, prefill, []*commonpb.KeyValue{text("ragtrace.timing.source", "reported")}},
		{"llm.decode", "llm.decode", 6, true, internal, decode, []*commonpb.KeyValue{text("ragtrace.timing.source", "reported")}},
		{"answer", "answer", 0, false, internal, ms, []*commonpb.KeyValue{whole("ragtrace.answer.bytes", output*4)}},
	}
	asked := l.end.Add(-time.Duration(l.questions-q) * every)
	trace, ids := traceID(q), make([][]byte, len(steps))
	cursor := make([]time.Time, len(steps)) // where the next child of a span starts
	spans := make([]*tracepb.Span, len(steps))
	for i, s := range steps {
		ids[i] = binary.BigEndian.AppendUint64(nil, random.Uint64()|1)
		start := asked
		span := &tracepb.Span{TraceId: trace, SpanId: ids[i], Name: s.name, Kind: s.kind, Flags: 0x101}
		if s.parent >= 0 {
			span.ParentSpanId = ids[s.parent]
			start = cursor[s.parent]
			if s.name != "POST" { // the phases lie beside it, not behind it
				cursor[s.parent] = start.Add(s.took + 2*time.Microsecond)
			}
		}
		cursor[i] = start.Add(10 * time.Microsecond)
		span.StartTimeUnixNano, span.EndTimeUnixNano = uint64(start.UnixNano()), uint64(start.Add(s.took).UnixNano())
		span.Attributes = append(s.attrs, text("session.id", fmt.Sprintf("session-%06d", session)), whole("ragtrace.question.number", int64(number)))
		if s.stage != "" {
			span.Attributes = append(span.Attributes, text("ragtrace.stage", s.stage), boolean("ragtrace.inside_llm", s.inside))
		}
		spans[i] = span
	}
	spans[0].EndTimeUnixNano = uint64(cursor[0].UnixNano())
	return spans
}

func text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

func whole(key string, value int64) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: value}}}
}

func number64(key string, value float64) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: value}}}
}

func boolean(key string, value bool) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: value}}}
}
