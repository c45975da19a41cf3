package recognise

import (
	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/chroma"
	"github.com/ragtrace/ragtrace/stages/cohere"
	"github.com/ragtrace/ragtrace/stages/elastic"
	"github.com/ragtrace/ragtrace/stages/lmstudio"
	"github.com/ragtrace/ragtrace/stages/milvus"
	"github.com/ragtrace/ragtrace/stages/ollama"
	"github.com/ragtrace/ragtrace/stages/openai"
	"github.com/ragtrace/ragtrace/stages/qdrant"
	"github.com/ragtrace/ragtrace/stages/rerank"
	"github.com/ragtrace/ragtrace/stages/sglang"
	"github.com/ragtrace/ragtrace/stages/tei"
	"github.com/ragtrace/ragtrace/stages/tgi"
	"github.com/ragtrace/ragtrace/stages/weaviate"
)

// apis are asked in this order: the more particular ones first.
var apis = []api{
	{stages.APIOllama, "ollama", ollama.Match, func(f *stages.Facts) Reader { return ollama.New(f) }},
	{stages.APIQdrant, "qdrant", qdrant.Match, func(f *stages.Facts) Reader { return qdrant.New(f) }},
	{stages.APIChroma, "chroma", chroma.Match, func(f *stages.Facts) Reader { return chroma.New(f) }},
	{stages.APIWeaviate, "weaviate", weaviate.Match, func(f *stages.Facts) Reader { return weaviate.New(f) }},
	{stages.APIMilvus, "milvus", milvus.Match, func(f *stages.Facts) Reader { return milvus.New(f) }},
	{stages.APIElastic, "elasticsearch", elastic.Match, func(f *stages.Facts) Reader { return elastic.New(f) }},
	{stages.APICohere, "cohere", rerank.Match, func(f *stages.Facts) Reader { return rerank.New(f) }},
	{stages.APICohere, "cohere", cohere.Match, func(f *stages.Facts) Reader { return cohere.New(f) }},
	{stages.APITEI, "tei", tei.Match, func(f *stages.Facts) Reader { return tei.New(f) }},
	{stages.APILMStudio, "lmstudio", lmstudio.MatchV0, func(f *stages.Facts) Reader { return lmstudio.NewV0(f) }},
	{stages.APILMStudio, "lmstudio", lmstudio.MatchV1, func(f *stages.Facts) Reader { return lmstudio.NewV1(f) }},
	{stages.APITGI, "tgi", tgi.Match, func(f *stages.Facts) Reader { return tgi.New(f) }},
	{stages.APIOpenAI, "openai", openai.Match, func(f *stages.Facts) Reader { return openai.New(f) }},
	{stages.APISGLang, "sglang", sglang.Match, func(f *stages.Facts) Reader { return sglang.New(f) }},
}
