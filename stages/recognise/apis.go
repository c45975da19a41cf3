package recognise

import (
	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/chroma"
	"github.com/ragtrace/ragtrace/stages/ollama"
	"github.com/ragtrace/ragtrace/stages/openai"
	"github.com/ragtrace/ragtrace/stages/qdrant"
	"github.com/ragtrace/ragtrace/stages/rerank"
	"github.com/ragtrace/ragtrace/stages/sglang"
	"github.com/ragtrace/ragtrace/stages/tei"
	"github.com/ragtrace/ragtrace/stages/weaviate"
)

// apis are asked in this order: the more particular ones first.
var apis = []api{
	{stages.APIOllama, "ollama", ollama.Match, func(f *stages.Facts) Reader { return ollama.New(f) }},
	{stages.APIQdrant, "qdrant", qdrant.Match, func(f *stages.Facts) Reader { return qdrant.New(f) }},
	{stages.APIChroma, "chroma", chroma.Match, func(f *stages.Facts) Reader { return chroma.New(f) }},
	{stages.APIWeaviate, "weaviate", weaviate.Match, func(f *stages.Facts) Reader { return weaviate.New(f) }},
	{stages.APICohere, "cohere", rerank.Match, func(f *stages.Facts) Reader { return rerank.New(f) }},
	{stages.APITEI, tei.System, tei.Match, func(f *stages.Facts) Reader { return tei.New(f) }},
	{stages.APIOpenAI, "openai", openai.Match, func(f *stages.Facts) Reader { return openai.New(f) }},
	{stages.APISGLang, "sglang", sglang.Match, func(f *stages.Facts) Reader { return sglang.New(f) }},
}
