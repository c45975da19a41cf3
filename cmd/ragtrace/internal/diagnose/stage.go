package diagnose

import (
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// Stages that are no component of their own.
const (
	noStage  Component = 0xff // a wrapper, an HTTP span, the application's own
	llmStage Component = 0xfe // a call of the LLM, or the LLM server's side of it
)

// ownStages are the values of ragtrace.stage.
var ownStages = map[string]Component{
	"llm": llmStage, "llm.queue": LLMQueue, "llm.load": LLMLoad, "llm.prefill": LLMPrefill, "llm.decode": LLMDecode,
	"connect": Connect, "embed": Embed, "embed.load": EmbedLoad, "embed.compute": Embed,
	"search": Search, "search.server": Search, "rerank": Rerank, "rerank.server": Rerank,
	"prompt": Prompt, "prepare": Prepare, "enter": Enter, "gateway": Gateway, "answer": Answer,
}

// Other vocabularies, in the order in which they are asked.
var (
	operationStages = map[string]Component{ // gen_ai.operation.name
		"chat": llmStage, "text_completion": llmStage, "generate_content": llmStage,
		"embeddings": Embed, "rerank": Rerank, "retrieval": Search,
	}
	openInferenceStages = map[string]Component{ // openinference.span.kind
		"LLM": llmStage, "EMBEDDING": Embed, "RERANKER": Rerank, "RETRIEVER": Search, "PROMPT": Prompt,
	}
	openLLMetryStages = map[string]Component{ // llm.request.type
		"chat": llmStage, "completion": llmStage, "embedding": Embed, "rerank": Rerank,
	}
	langfuseStages = map[string]Component{ // langfuse.observation.type
		"generation": llmStage, "embedding": Embed, "retriever": Search,
	}
	langWatchStages = map[string]Component{ // langwatch.span.type
		"llm": llmStage, "rag": Search,
	}
	// ai.operationId of the Vercel AI SDK: its inner spans, one a request, and not those around them.
	// https://ai-sdk.dev/docs/ai-sdk-core/telemetry
	vercelStages = map[string]Component{
		"ai.generateText.doGenerate": llmStage, "ai.streamText.doStream": llmStage, "ai.generateObject.doGenerate": llmStage,
		"ai.streamObject.doStream": llmStage, "ai.embed.doEmbed": Embed, "ai.embedMany.doEmbed": Embed,
	}
)

// stageOf is the stage that a span says it is. A retrieval may still turn out to be a mere wrapper: see mayWrap.
func stageOf(s *model.Span) Component {
	a := s.Attrs
	if own := a.String("ragtrace.stage"); own != "" {
		if stage, ok := ownStages[own]; ok {
			return stage
		}
		if strings.HasPrefix(own, "llm.") {
			return LLMOther
		}
		return noStage
	}
	if stage, ok := operationStages[a.String("gen_ai.operation.name")]; ok {
		return stage
	}
	if stage, ok := openInferenceStages[a.String("openinference.span.kind")]; ok {
		return stage
	}
	if stage, ok := openLLMetryStages[a.String("llm.request.type")]; ok {
		return stage
	}
	for key := range a {
		if strings.HasPrefix(key, "gen_ai.latency.") {
			return llmStage
		}
	}
	if a.String("db.system.name") != "" || a.String("db.system") != "" {
		if writes(s) {
			return noStage
		}
		return Search
	}
	if stage, ok := langfuseStages[a.String("langfuse.observation.type")]; ok {
		return stage
	}
	if stage, ok := langWatchStages[a.String("langwatch.span.type")]; ok {
		return stage
	}
	if stage, ok := vercelStages[a.String("ai.operationId")]; ok {
		return stage
	}
	return noStage
}

// mayWrap reports whether a search span is a retrieval of a framework, which wraps the search itself when there is one
// below it.
func mayWrap(s *model.Span) bool {
	a := s.Attrs
	return a.String("ragtrace.stage") == "" &&
		(a.String("gen_ai.operation.name") == "retrieval" || a.String("openinference.span.kind") == "RETRIEVER" ||
			a.String("langfuse.observation.type") == "retriever" || a.String("langwatch.span.type") == "rag")
}

// writes reports whether a database span changes data: an ingestion, not a search.
func writes(s *model.Span) bool {
	operation := firstString(s.Attrs, []string{"db.operation.name", "db.operation"})
	if operation == "" {
		operation = s.Name
	}
	operation = strings.ToLower(operation)
	for _, word := range []string{"insert", "upsert", "update", "delete"} {
		if strings.Contains(operation, word) {
			return true
		}
	}
	return false
}
