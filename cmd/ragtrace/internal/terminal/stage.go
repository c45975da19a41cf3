package terminal

import (
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/stages"
)

// foreignStages are the stages that other vocabularies name: gen_ai.operation.name, openinference.span.kind and
// llm.request.type have no value in common that means two things.
var foreignStages = map[string]stages.Stage{
	"chat": stages.LLM, "text_completion": stages.LLM, "generate_content": stages.LLM, "completion": stages.LLM, "LLM": stages.LLM,
	"embeddings": stages.Embed, "embedding": stages.Embed, "EMBEDDING": stages.Embed,
	"rerank": stages.Rerank, "RERANKER": stages.Rerank,
	"retrieval": stages.Search, "RETRIEVER": stages.Search,
	"PROMPT": stages.Prompt,
}

// stageOf is the stage that a span says it is, or "".
func stageOf(s *model.Span) string {
	if own := s.Attrs.String("ragtrace.stage"); own != "" {
		return own
	}
	for _, key := range []string{"gen_ai.operation.name", "openinference.span.kind", "llm.request.type"} {
		if stage, ok := foreignStages[s.Attrs.String(key)]; ok {
			return string(stage)
		}
	}
	for key := range s.Attrs {
		if strings.HasPrefix(key, "gen_ai.latency.") {
			return string(stages.LLM)
		}
	}
	if s.Attrs.String("db.system.name") != "" || s.Attrs.String("db.system") != "" {
		return string(stages.Search)
	}
	return ""
}

// unwrap takes the stage from a framework's retrievals that have a search below them: they only frame it.
func (b *bar) unwrap() (search bool) {
	for _, c := range b.below {
		search = c.unwrap() || search
	}
	a := b.span.Attrs
	retrieval := a.String("gen_ai.operation.name") == "retrieval" || a.String("openinference.span.kind") == "RETRIEVER"
	if search && retrieval && a.String("ragtrace.stage") == "" {
		b.stage = ""
	}
	return search || b.stage == string(stages.Search)
}

// kind says what b's own row shows. An LLM call with phases below it is only their frame: part of it is network.
func (b *bar) kind() kind {
	switch {
	case b.stage == "", b.stage == string(stages.Question):
		return wrapper
	case b.stage == string(stages.LLM):
		if b.failed() {
			return outside
		}
		if b.span.Kind != model.KindServer && b.framesLLM() {
			return wrapper
		}
		return inside
	case strings.HasPrefix(b.stage, string(stages.LLM)+"."):
		return inside
	}
	return outside
}

func (b *bar) failed() bool { return b.span.Status == model.StatusError }

// framesLLM reports whether anything below b is the LLM server's own.
func (b *bar) framesLLM() bool {
	for _, c := range b.below {
		if stages.Stage(c.stage).InsideLLM() || c.framesLLM() {
			return true
		}
	}
	return false
}
