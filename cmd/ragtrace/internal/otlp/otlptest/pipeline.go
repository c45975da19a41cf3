package otlptest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// A Pipeline asks questions of a RAG pipeline, one a second, each of 12 spans with the attributes that real ones have, over
// twenty sessions. One in fifty finds its model cold. The times are random, the same ones for the same seed.
type Pipeline struct {
	random *rand.Rand
	asked  int
}

// NewPipeline makes a pipeline.
func NewPipeline(seed uint64) *Pipeline { return &Pipeline{random: rand.New(rand.NewPCG(seed, 0))} }

// Request is the spans of n questions.
func (p *Pipeline) Request(n int) *coltracepb.ExportTraceServiceRequest {
	var spans []*tracepb.Span
	for range n {
		spans = append(spans, p.question()...)
	}
	return Request(spans...)
}

func (p *Pipeline) id(n int) []byte {
	id := make([]byte, 0, n)
	for len(id) < n {
		id = binary.BigEndian.AppendUint64(id, p.random.Uint64())
	}
	return id
}

// about is a duration of about so many milliseconds.
func (p *Pipeline) about(ms float64) time.Duration {
	return time.Duration(ms * (0.8 + 0.4*p.random.Float64()) * float64(time.Millisecond))
}

func (p *Pipeline) question() []*tracepb.Span {
	p.asked++
	trace, session := p.id(16), fmt.Sprintf("session-%d", p.asked%20)
	at := time.Unix(1764500000+int64(p.asked), 0)
	add := func(parent *tracepb.Span, stage, name string, start time.Time, d time.Duration, attrs ...*commonpb.KeyValue) *tracepb.Span {
		s := &tracepb.Span{
			TraceId: trace, SpanId: p.id(8), ParentSpanId: parent.GetSpanId(), Name: name, Kind: tracepb.Span_SPAN_KIND_INTERNAL,
			StartTimeUnixNano: uint64(start.UnixNano()), EndTimeUnixNano: uint64(start.Add(d).UnixNano()), Flags: 0x101,
			Attributes: append([]*commonpb.KeyValue{Str("ragtrace.stage", stage), Str("session.id", session)}, attrs...),
		}
		return s
	}
	load, prefill, decode := p.about(8), p.about(120), p.about(900)
	if p.asked%50 == 1 {
		load = p.about(3500)
	}
	enter, embed, search, rerank, prompt, queue := p.about(12), p.about(30), p.about(15), p.about(60), p.about(1), p.about(2)
	root := add(nil, "question", "POST /ask", at, 0, Int("ragtrace.question.number", int64(p.asked/20+1)),
		Str("http.request.method", "POST"), Str("url.path", "/ask"), Int("http.response.status_code", 200))
	spans := []*tracepb.Span{root}
	next := func(parent *tracepb.Span, stage, name string, d time.Duration, attrs ...*commonpb.KeyValue) *tracepb.Span {
		s := add(parent, stage, name, at, d, attrs...)
		spans = append(spans, s)
		at = at.Add(d)
		return s
	}
	next(root, "enter", "enter", enter)
	next(root, "embed", "embeddings all-minilm", embed, Str("gen_ai.operation.name", "embeddings"), Str("gen_ai.request.model", "all-minilm"),
		Str("server.address", "127.0.0.1"), Int("server.port", 11434), Int("gen_ai.usage.input_tokens", 12))
	next(root, "search", "search", search, Str("db.system.name", "qdrant"), Str("db.collection.name", "docs"), Int("ragtrace.search.hits", 5))
	next(root, "rerank", "rerank", rerank, Str("gen_ai.request.model", "bge-reranker"))
	next(root, "prompt", "prompt", prompt)
	start := at
	llm := add(root, "llm", "chat llama3.2:3b", at, queue+load+prefill+decode, Str("gen_ai.operation.name", "chat"), Str("gen_ai.provider.name", "ollama"),
		Str("gen_ai.request.model", "llama3.2:3b"), Str("server.address", "127.0.0.1"), Int("server.port", 11434),
		Int("gen_ai.usage.input_tokens", int64(1000+p.random.IntN(400))), Int("gen_ai.usage.output_tokens", int64(200+p.random.IntN(80))),
		kv("gen_ai.request.stream", &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: true}}),
		kv("gen_ai.response.time_to_first_chunk", &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: (queue + load + prefill).Seconds()}}))
	llm.Kind = tracepb.Span_SPAN_KIND_CLIENT
	spans = append(spans, llm)
	reported := Str("ragtrace.timing.source", "reported")
	next(llm, "llm.queue", "queue", queue, reported)
	next(llm, "llm.load", "load", load, reported)
	next(llm, "llm.prefill", "prefill", prefill, reported)
	next(llm, "llm.decode", "decode", decode, reported)
	spans = append(spans, add(root, "answer", "answer", start.Add(queue+load+prefill), decode))
	root.EndTimeUnixNano = uint64(at.Add(p.about(2)).UnixNano())
	return spans
}
