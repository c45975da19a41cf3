package diagnose

// phrases say what a cause is, to follow an amount of time.
var phrases = map[string]string{
	causeLLMLoad:     "model load",
	causeSharedLoad:  "waiting for a model load started",
	causeEviction:    "loading both models, which push each other out of memory",
	causeKeepAlive:   "model load after keep_alive",
	causeReload:      "model reload for other options",
	causeQueue:       "waiting for the LLM server",
	causeMoreCalls:   "in more LLM calls than usual",
	causePrefillLong: "prefill of a longer prompt",
	causeCacheMiss:   "prefill that the prefix cache did not save",
	causePrefillSlow: "prefill at a lower rate",
	causeDecodeLong:  "decode of a longer answer",
	causeDecodeSlow:  "decode at a lower rate",
	causeServer:      "in the LLM server, which does not say for what",
	causeLLMSlow:     "in an LLM call that tells no more about itself",
	causeRetry:       "failed attempts and waits before the next",
	causeConnection:  "connection set-up",
	causeEmbedLoad:   "embedding model load",
	causeEmbedSlow:   "embedding",
	causeIndexCold:   "first search",
	causeSearchSlow:  "search",
	causeRerankCold:  "first rerank",
	causeRerankSlow:  "rerank",
	causeLazyImport:  "before the first stage of the process's first question",
	causeAppGap:      "covered by no stage",
	causeEnter:       "from Enter to the server",
	causeGateway:     "in the gateway",
	causeTransport:   "network and client code of the LLM call",
	causeAnswer:      "sending the answer after the LLM was done",
	causeApp:         "preparing the question and building the prompt",
	causeNotReused:   "new connections for every question",
	causeBuffering:   "decoding that something before the application holds back",
	causeNoStreaming: "decoding that the application does not pass on as it comes",
}

// Where a cause lies, as sentences say it.
const (
	wordInside  = "inside the LLM"
	wordOutside = "outside"
	wordBoth    = "inside and outside"
)

var causeSides = map[string]string{
	causeLLMLoad: wordInside, causeSharedLoad: wordInside, causeEviction: wordBoth, causeKeepAlive: wordInside,
	causeReload: wordInside, causeQueue: wordInside, causeMoreCalls: wordInside, causePrefillLong: wordInside,
	causeCacheMiss: wordInside, causePrefillSlow: wordInside, causeDecodeLong: wordInside, causeDecodeSlow: wordInside,
	causeServer: wordInside, causeLLMSlow: wordInside,
	causeRetry: wordOutside, causeConnection: wordOutside, causeEmbedLoad: wordOutside, causeEmbedSlow: wordOutside,
	causeIndexCold: wordOutside, causeSearchSlow: wordOutside, causeRerankCold: wordOutside, causeRerankSlow: wordOutside,
	causeLazyImport: wordOutside, causeAppGap: wordOutside, causeEnter: wordOutside, causeGateway: wordOutside,
	causeTransport: wordOutside, causeAnswer: wordOutside, causeApp: wordOutside,
	causeNotReused: wordOutside, causeBuffering: wordOutside, causeNoStreaming: wordOutside,
}
