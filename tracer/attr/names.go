package attr

import "go.opentelemetry.io/otel/attribute"

// SemconvVersion is the version of the GenAI conventions that the names follow, and the value of the resource attribute
// [SemconvVersionKey].
const SemconvVersion = "genai-0.1.0"

// Attributes of every span of a question.
const (
	// Stage says what the span's time was spent on; its values are the constants of [stages.Stage].
	Stage = attribute.Key("ragtrace.stage")
	// InsideLLM is true for work of the answering model's server.
	InsideLLM = attribute.Key("ragtrace.inside_llm")
	// TimingSource is measured, reported or derived.
	TimingSource = attribute.Key("ragtrace.timing.source")
	// QuestionNumber counts the questions of a session from 1.
	QuestionNumber = attribute.Key("ragtrace.question.number")
	// SessionID is the session that the question belongs to.
	SessionID = attribute.Key("session.id")
	// ConversationID has the same value, under the name of the GenAI conventions; not on phase spans.
	ConversationID = attribute.Key("gen_ai.conversation.id")
	// Flags are doubts about the span, sorted, each once.
	Flags = attribute.Key("ragtrace.flags")
	// SemconvVersionKey stands on the resource.
	SemconvVersionKey = attribute.Key("ragtrace.semconv.version")
)

// Attributes of the GenAI conventions, as of 0.1.0 unless the comment says otherwise.
const (
	OperationName           = attribute.Key("gen_ai.operation.name")
	ProviderName            = attribute.Key("gen_ai.provider.name")
	AgentName               = attribute.Key("gen_ai.agent.name")
	RequestModel            = attribute.Key("gen_ai.request.model")
	RequestStream           = attribute.Key("gen_ai.request.stream") // only when true
	RequestSeed             = attribute.Key("gen_ai.request.seed")
	RequestTopK             = attribute.Key("gen_ai.request.top_k") // of the sampler, an int since 0.1.0
	RequestTopP             = attribute.Key("gen_ai.request.top_p")
	RequestTemperature      = attribute.Key("gen_ai.request.temperature")
	RequestMaxTokens        = attribute.Key("gen_ai.request.max_tokens")
	RequestReasoningLevel   = attribute.Key("gen_ai.request.reasoning.level")
	ResponseModel           = attribute.Key("gen_ai.response.model")
	ResponseFinishReasons   = attribute.Key("gen_ai.response.finish_reasons")
	ResponseTimeToFirst     = attribute.Key("gen_ai.response.time_to_first_chunk") // s
	UsageInputTokens        = attribute.Key("gen_ai.usage.input_tokens")           // cached ones included
	UsageOutputTokens       = attribute.Key("gen_ai.usage.output_tokens")          // reasoning included
	UsageCacheRead          = attribute.Key("gen_ai.usage.cache_read.input_tokens")
	UsageReasoning          = attribute.Key("gen_ai.usage.reasoning.output_tokens")
	EmbeddingsDimension     = attribute.Key("gen_ai.embeddings.dimension.count")
	OperationInvokeWorkflow = "invoke_workflow" // OperationName of a question
)

// PeerService is what Jaeger, and tracers that draw maps of services, call a server that sends no spans itself: the system.
const PeerService = attribute.Key("peer.service")

// Older names, written beside the newer ones when RAGTRACE_SEMCONV=dup.
const (
	System       = attribute.Key("gen_ai.system")        // up to 1.36; now ProviderName
	WorkflowName = attribute.Key("gen_ai.workflow.name") // 1.41; now AgentName
)

// Attributes of OpenInference, Langfuse and their readers, where they would guess wrong without.
const (
	SpanKind        = attribute.Key("openinference.span.kind")
	RerankerTopK    = attribute.Key("reranker.top_k")
	RerankerModel   = attribute.Key("reranker.model_name")
	ObservationType = attribute.Key("langfuse.observation.type")
)

// Attributes of a call to a model, in the project's own namespace. Durations in seconds.
const (
	NumCtx             = attribute.Key("ragtrace.llm.request.num_ctx")
	KeepAlive          = attribute.Key("ragtrace.llm.request.keep_alive") // s, negative: for ever
	LoadDuration       = attribute.Key("ragtrace.llm.load.duration")
	QueueDuration      = attribute.Key("ragtrace.llm.queue.duration")
	PrefillDuration    = attribute.Key("ragtrace.llm.prefill.duration")
	DecodeDuration     = attribute.Key("ragtrace.llm.decode.duration")
	TotalDuration      = attribute.Key("ragtrace.llm.total.duration")           // the server's own total
	DecodeResidual     = attribute.Key("ragtrace.llm.decode_residual.duration") // of the decode span, beyond DecodeDuration
	TimeToFirstToken   = attribute.Key("ragtrace.llm.time_to_first_token")      // by the server's own stamps
	TimeToFirstAnswer  = attribute.Key("ragtrace.llm.time_to_first_answer")
	TimePerOutputToken = attribute.Key("ragtrace.llm.time_per_output_token")
	Unattributed       = attribute.Key("ragtrace.llm.unattributed.duration") // of the server, in no field of its answer
	InterChunkMean     = attribute.Key("ragtrace.llm.inter_chunk.mean")
	InterChunkP50      = attribute.Key("ragtrace.llm.inter_chunk.p50")
	InterChunkP95      = attribute.Key("ragtrace.llm.inter_chunk.p95")
	InterChunkMax      = attribute.Key("ragtrace.llm.inter_chunk.max")
	TokenEvents        = attribute.Key("ragtrace.llm.token_events")
	ToolCalls          = attribute.Key("ragtrace.llm.tool_calls")
	Remote             = attribute.Key("ragtrace.llm.remote")     // only when true: the figures are of a server behind the one called
	ServerVersion      = attribute.Key("ragtrace.server.version") // where the program has asked the server
	CallStatus         = attribute.Key("ragtrace.call.status")    // only when it is not ok: error, cancelled, incomplete
	CallOperation      = attribute.Key("ragtrace.operation")      // of calls without a standard operation name
	// ServerFigure, followed by a server's own name for it, is a further figure of that server: a duration in seconds when
	// the name ends in .duration, else a number in the unit that the name says.
	ServerFigure = "ragtrace.server."
)

// Attributes of embedding, search and rerank calls, in the project's own namespace.
const (
	EmbedInputCount      = attribute.Key("ragtrace.embedding.input.count")
	EmbedLoadDuration    = attribute.Key("ragtrace.embed.load.duration")
	EmbedServerDuration  = attribute.Key("ragtrace.embed.server.duration")
	SearchTopK           = attribute.Key("ragtrace.search.top_k")
	SearchScoreMax       = attribute.Key("ragtrace.search.score.max")
	SearchScoreMin       = attribute.Key("ragtrace.search.score.min")
	SearchDistanceMax    = attribute.Key("ragtrace.search.distance.max") // of stores that answer distances
	SearchDistanceMin    = attribute.Key("ragtrace.search.distance.min")
	SearchServerDuration = attribute.Key("ragtrace.search.server.duration")
	SearchAsync          = attribute.Key("ragtrace.search.async") // a write that was accepted, not done
	RerankCandidateCount = attribute.Key("ragtrace.rerank.candidate.count")
	RerankResultCount    = attribute.Key("ragtrace.rerank.result.count")
	RerankTopN           = attribute.Key("ragtrace.rerank.top_n")
	RerankServerDuration = attribute.Key("ragtrace.rerank.server.duration")
)

// What a gateway on the way said of a call.
const (
	GatewayUpstream  = attribute.Key("ragtrace.gateway.upstream") // scheme and host
	GatewayAttempt   = attribute.Key("ragtrace.gateway.attempt")  // which one succeeded, from 1
	GatewayFallbacks = attribute.Key("ragtrace.gateway.fallbacks")
	GatewayOverhead  = attribute.Key("ragtrace.gateway.overhead.duration") // s
)

// Attributes of the question and of HTTP exchanges, in the project's own namespace.
const (
	AnswerStreamed = attribute.Key("ragtrace.answer.streamed") // a flush between the first and the last byte
	ConnReused     = attribute.Key("ragtrace.http.conn.reused")
)

// What the page reported that the question was asked in: seconds from Enter, by the page's clock.
const (
	UserTimeToFirstByte  = attribute.Key("ragtrace.user.time_to_first_byte") // of the response, its head included
	UserTimeToFirstPaint = attribute.Key("ragtrace.user.time_to_first_paint")
	UserTimeToLastByte   = attribute.Key("ragtrace.user.time_to_last_byte")
)

// Flags of the tracer's own, beside those of [stages.Facts].
const (
	FlagAbandoned   = "abandoned"    // the body was neither read to its end nor closed
	FlagBadEnter    = "bad_enter"    // the header Ragtrace-Enter held no duration between 0 and 24 h
	FlagBadPaint    = "bad_paint"    // the page reported to have painted later than its report came
	FlagNoPaint     = "no_paint"     // the page announced a report, and none came in time: the end is the last byte's
	FlagBadSession  = "bad_session"  // the session was longer than 256 bytes or no text
	FlagBadQuestion = "bad_question" // the header Ragtrace-Question held no number from 1
)

// EventFirstChunk marks the arrival of the first token.
const EventFirstChunk = "first_chunk"

// Metrics.
const (
	MetricInferenceDuration  = "gen_ai.client.inference.duration"
	MetricTimeToFirstChunk   = "gen_ai.client.inference.time_to_first_chunk"
	MetricEmbeddingsDuration = "gen_ai.client.embeddings.duration"
	MetricQuestionDuration   = "ragtrace.question.duration"
	MetricStageDuration      = "ragtrace.stage.duration"
	MetricPhaseDuration      = "ragtrace.llm.phase.duration"
	// Phase is the attribute of MetricPhaseDuration: load, queue, prefill, decode, other.
	Phase = attribute.Key("ragtrace.llm.phase")
)
