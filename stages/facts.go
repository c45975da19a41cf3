package stages

// API names the wire format that an exchange was recognised as.
type API string

const (
	APIUnknown     API = "" // nothing was recognised; the exchange is still an HTTP call
	APIOllama      API = "ollama"
	APIOpenAI      API = "openai" // and every server that speaks it, unless its answer names itself
	APILlamaServer API = "llama-server"
	APIVLLM        API = "vllm"
	APISGLang      API = "sglang"
	APILMStudio    API = "lmstudio"
	APITGI         API = "tgi"
	APILocalAI     API = "localai"
	APITEI         API = "tei"
	APICohere      API = "cohere" // the rerank shape of Cohere, Jina, vLLM, Infinity, ...
	APIQdrant      API = "qdrant"
	APIChroma      API = "chroma"
	APIWeaviate    API = "weaviate"
	APIMilvus      API = "milvus"
	APIElastic     API = "elasticsearch"
	APIOpenSearch  API = "opensearch"
)

// An Operation is what an exchange did. Values with a counterpart in OpenTelemetry's gen_ai.operation.name are spelt so.
type Operation string

const (
	OpChat           Operation = "chat"
	OpTextCompletion Operation = "text_completion"
	OpEmbeddings     Operation = "embeddings"
	OpRerank         Operation = "rerank"
	OpSearch         Operation = "vector.search"
	OpUpsert         Operation = "vector.upsert"
	OpDelete         Operation = "vector.delete"
	OpRead           Operation = "vector.read" // reads by id, scrolls, counts: no vector was compared
	OpLoad           Operation = "load"        // a call that only loads a model
	OpUnload         Operation = "unload"
)

// Flags are doubts about one exchange. Each is raised once.
const (
	FlagBufferedStream     = "buffered_stream"      // something between server and client held the tokens back
	FlagSumExceedsTotal    = "sum_exceeds_total"    // the phases were clipped to the server's total
	FlagTotalExceedsClient = "total_exceeds_client" // the server's total was cut to the client's interval
	FlagSuspectUnits       = "suspect_units"        // the durations cannot be in the unit that the API states
	FlagMalformed          = "malformed"            // a line, event or body was not what the API sends
	FlagUndecoded          = "undecoded"            // the content encoding is not one that can be read
	FlagAfterDone          = "after_done"           // more came after the event that finished the answer
	FlagPhasesUnknown      = "phases_unknown"       // the API reports no phases
	FlagEstimatedTTFT      = "estimated_ttft"       // pieced together from the server's phases
	FlagDecodeStall        = "decode_stall"         // a large part of the decode span is no decoding
	FlagSharedLoad         = "load_shared"          // the wait was for a load that another request had started
)

// Facts are what one exchange says of itself, and nothing else: no comparison, no guess.
type Facts struct {
	API       API
	Operation Operation
	Stage     Stage  // llm, embed, search or rerank; "" for anything else
	System    string // provider or database as OpenTelemetry names it: ollama, openai, qdrant, ...
	Request   RequestFacts

	HTTPStatus    int
	Status        Status
	Error         string // the server's words, or http_503
	Streamed      bool   // the answer came as events
	Model         string // as the answer names it
	DoneReason    string
	FinishReasons []string

	InputTokens     Count // cached ones included
	OutputTokens    Count
	CachedTokens    Count
	ReasoningTokens Count
	TokenEvents     int
	ToolCalls       int
	Dimensions      int // of the vectors in an embedding answer
	Hits            Count
	ScoreMax        *float64
	ScoreMin        *float64
	Async           bool // accepted, not done (Qdrant wait=false)

	Total   Timing // the server's whole interval
	Load    Timing
	Queue   Timing
	Prefill Timing
	Decode  Timing
	Other   []NamedTiming // figures of this server that are no phase: per-text means, rates

	Marks Marks
	// ServerFirstToDone is the time between the server's own stamps of the first token event and the finish.
	ServerFirstToDone Timing
	Gaps              *Gaps // between token events, by arrival
	ServerGaps        *Gaps // between token events, by the server's stamps

	Flags []string // sorted, each once
}

// A NamedTiming is a server's figure under the server's own name.
type NamedTiming struct {
	Name string
	Timing
}
