package recognise

import (
	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/ollama"
	"github.com/ragtrace/ragtrace/stages/openai"
)

// apis are asked in this order: the more particular ones first.
var apis = []api{
	{stages.APIOllama, "ollama", ollama.Match, func(f *stages.Facts) Reader { return ollama.New(f) }},
	{stages.APIOpenAI, "openai", openai.Match, func(f *stages.Facts) Reader { return openai.New(f) }},
}
