package attr

import "github.com/ragtrace/ragtrace/stages"

// KindOf is the OpenInference span kind of a stage. Phases are CHAIN, so that no reader counts them as calls.
func KindOf(s stages.Stage) string {
	switch s {
	case stages.LLM:
		return "LLM"
	case stages.Embed:
		return "EMBEDDING"
	case stages.Rerank:
		return "RERANKER"
	case stages.Prompt:
		return "PROMPT"
	}
	return "CHAIN"
}

// OperationOf is gen_ai.operation.name for work of a stage inside the process, or "".
func OperationOf(s stages.Stage) string {
	switch s {
	case stages.LLM:
		return string(stages.OpChat)
	case stages.Embed:
		return string(stages.OpEmbeddings)
	case stages.Rerank:
		return string(stages.OpRerank)
	}
	return ""
}
