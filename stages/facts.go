package stages

import "slices"

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
	APICohere      API = "cohere" // its embed, and the rerank shape of Cohere, Jina, vLLM, Infinity, ...
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

// Stage is the stage that the operation belongs to, "" for one that is no stage of a question.
func (op Operation) Stage() Stage {
	switch op {
	case OpChat, OpTextCompletion, OpLoad, OpUnload:
		return LLM
	case OpEmbeddings:
		return Embed
	case OpSearch:
		return Search
	case OpRerank:
		return Rerank
	}
	return ""
}

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
	FlagPromptUncached     = "prompt_uncached"      // the count of prompt tokens leaves out those in the cache
	FlagPrefillLastBatch   = "prefill_last_batch"   // the prefill may be that of the prompt's last batch alone
	FlagSharedLoad         = "load_shared"          // the wait was for a load that another request had started

	// FlagBad, followed by a field's own name, says that its value cannot be a duration and was taken as absent.
	FlagBad = "bad_"
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
	Formed        bool   // something in it has the form of the API's answers, if only without a word in it
	Model         string // as the answer names it
	DoneReason    string
	FinishReasons []string

	InputTokens     Count // cached ones included
	OutputTokens    Count
	CachedTokens    Count
	ReasoningTokens Count
	TokenEvents     int // lines or events with tokens in a stream; 1 for a plain body with text in it
	ToolCalls       int
	Dimensions      int // of the vectors in an embedding answer
	Hits            Count
	ScoreMax        *float64
	ScoreMin        *float64
	DistanceMax     *float64 // of stores that answer distances, whose metric is not known here: no score is made of them
	DistanceMin     *float64
	Async           bool // accepted, not done (Qdrant wait=false)
	Remote          bool // the figures are those of a server behind the one that was called (Ollama's cloud models)

	Server *Server // what was known of the server before; nil when nothing was
	Told   *Server // what the answer itself tells of it; nil when nothing

	Total   Timing // the server's whole interval
	Load    Timing
	Queue   Timing
	Prefill Timing
	Decode  Timing
	// PrefillStart is when the prompt's processing began, as llama-server tells during it: all that is known of an answer
	// that does not come to its end.
	PrefillStart Timing
	// FirstTokenInDecode says that Decode begins before the first token: it is n steps for n tokens, else n-1.
	FirstTokenInDecode bool

	Other   []NamedTiming // durations of this server that are no phase: per-text means
	Figures []Figure      // further numbers of this server, for people to read
	Placed  []Phase       // phases whose moments or order the API itself states; they win over the durations above

	Marks Marks
	// ServerFirstToDone is the time between the server's own stamps of the first token event and the finish.
	ServerFirstToDone Timing
	// ServerAnswerToDone is the same from the first token of the answer itself.
	ServerAnswerToDone Timing
	Gaps               *Gaps // between token events, by arrival; nil with fewer than two
	ServerGaps         *Gaps // between token events, by the server's stamps; nil with fewer than two stamped ones

	ChoiceEvents ChoiceEvents // for comparison with other tools

	Gateway GatewayFacts

	Flags []string // sorted, each once
}

// A NamedTiming is a server's figure under the server's own name.
type NamedTiming struct {
	Name string
	Timing
}

// A Figure is a number under the server's own name, in the unit that the name says.
type Figure struct {
	Name  string
	Value float64
}

// Flag raises a flag; raising it again does nothing.
func (f *Facts) Flag(name string) {
	if i, found := slices.BinarySearch(f.Flags, name); !found {
		f.Flags = slices.Insert(f.Flags, i, name)
	}
}

// Flagged reports whether the flag is raised.
func (f *Facts) Flagged(name string) bool {
	_, found := slices.BinarySearch(f.Flags, name)
	return found
}
