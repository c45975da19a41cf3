package demo

import (
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
)

// What the scripted servers are told to take. The cold ones come at the first question.
const (
	chatLoad    = 1500 * time.Millisecond
	embedLoad   = 700 * time.Millisecond
	firstSearch = 700 * time.Millisecond
)

// scriptedOllama is an Ollama with two models on an ordinary desktop computer.
func scriptedOllama() *fakeserver.Ollama {
	return fakeserver.NewOllama(fakeserver.OllamaConfig{Models: []fakeserver.Model{
		{
			Name: "llama3.2:3b", Kind: fakeserver.Chat, Load: chatLoad,
			Prefill: 20 * time.Millisecond, PrefillPerToken: 600 * time.Microsecond, ColdPrefill: 150 * time.Millisecond,
			TokenTime: 12 * time.Millisecond, Answer: quote,
		},
		{
			Name: "nomic-embed-text", Kind: fakeserver.Embed, Load: embedLoad,
			Prefill: 12 * time.Millisecond, PrefillPerToken: 100 * time.Microsecond,
		},
	}})
}

// scriptedStore is a vector store whose index is not in memory before the first search.
func scriptedStore() *fakeserver.VectorStore {
	return fakeserver.NewVectorStore(fakeserver.StoreConfig{Search: 8 * time.Millisecond, FirstSearch: firstSearch})
}

func scriptedReranker() *fakeserver.Reranker {
	return fakeserver.NewReranker(fakeserver.RerankerConfig{Latency: 15 * time.Millisecond, PerDocument: 5 * time.Millisecond})
}

// quote answers with the first sentences of the page that the prompt holds first.
func quote(prompt string) string {
	_, page, ok := strings.Cut(prompt, "\n\n")
	if !ok {
		return "The handbook says nothing about that."
	}
	page, _, _ = strings.Cut(page, "\n")
	_, text, _ := strings.Cut(page, ": ")
	sentences := strings.SplitAfterN(text, ". ", 3)
	return "The handbook says: " + strings.TrimSpace(strings.Join(sentences[:min(2, len(sentences))], ""))
}
