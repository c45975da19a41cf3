package stages

import "strings"

// A Stage names what a stretch of a question's time was spent on. It is the value of the span attribute ragtrace.stage.
type Stage string

// The stages of a question. The names with a dot are parts of the stage before the dot.
const (
	Question     Stage = "question"      // Enter to the last byte of the answer: the root
	Enter        Stage = "enter"         // key press to the arrival at the server
	Prepare      Stage = "prepare"       // the application's own work before retrieval
	Embed        Stage = "embed"         // a call to an embedding model
	EmbedLoad    Stage = "embed.load"    // the embedding model's load, inside that call
	EmbedCompute Stage = "embed.compute" // the rest of the embedding server's time, inside that call
	Search       Stage = "search"        // a vector search
	SearchServer Stage = "search.server" // the share of it that the store reports
	Rerank       Stage = "rerank"        // a rerank call
	RerankServer Stage = "rerank.server" // the share of it that the reranker reports
	Prompt       Stage = "prompt"        // building the prompt
	Gateway      Stage = "gateway"       // a gateway's own time between the application and a model server
	LLM          Stage = "llm"           // a call to the answering model
	LLMQueue     Stage = "llm.queue"     // waiting inside the model server
	LLMLoad      Stage = "llm.load"      // the model server getting the model ready
	LLMPrefill   Stage = "llm.prefill"   // reading the prompt, up to the first logits
	LLMDecode    Stage = "llm.decode"    // first token to last
	LLMOther     Stage = "llm.other"     // time of the model server that no field of its answer names
	Connect      Stage = "connect"       // DNS, TCP and TLS set-up of a new connection
	Answer       Stage = "answer"        // first byte to the user until the last, or until that is painted
)

// InsideLLM reports whether s is work of the answering model's server: the call itself and its parts. Embedding, its
// model load too, is outside.
func (s Stage) InsideLLM() bool {
	return s == LLM || strings.HasPrefix(string(s), "llm.")
}
