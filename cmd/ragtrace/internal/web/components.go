package web

import (
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A look is how a component is drawn and named. The class decides the colour; inside and outside differ in texture too.
type look struct {
	class, name string
}

var looks = map[diagnose.Component]look{
	diagnose.LLMQueue:   {"q", "queue"},
	diagnose.LLMLoad:    {"l", "model load"},
	diagnose.LLMPrefill: {"p", "prefill"},
	diagnose.LLMDecode:  {"d", "decode"},
	diagnose.LLMOther:   {"x", "LLM, other"},
	diagnose.Enter:      {"N", "Enter to server"},
	diagnose.Prepare:    {"a", "prepare"},
	diagnose.GapStart:   {"g", "no stage, at first"},
	diagnose.Connect:    {"c", "connect"},
	diagnose.EmbedLoad:  {"E", "embedder load"},
	diagnose.Embed:      {"e", "embed"},
	diagnose.Search:     {"s", "search"},
	diagnose.Rerank:     {"k", "rerank"},
	diagnose.Prompt:     {"m", "prompt"},
	diagnose.Gateway:    {"w", "gateway"},
	diagnose.Transport:  {"t", "LLM network"},
	diagnose.Retry:      {"r", "retries"},
	diagnose.Gap:        {"g", "no stage"},
	diagnose.Answer:     {"y", "answer"},
}

// stacked is the order of the components in a bar: about that of time, what is outside the LLM first.
var stacked = []diagnose.Component{
	diagnose.Enter, diagnose.GapStart, diagnose.Prepare, diagnose.Connect, diagnose.EmbedLoad, diagnose.Embed, diagnose.Search,
	diagnose.Rerank, diagnose.Prompt, diagnose.Gateway, diagnose.Transport, diagnose.Retry, diagnose.Gap, diagnose.Answer,
	diagnose.LLMQueue, diagnose.LLMLoad, diagnose.LLMPrefill, diagnose.LLMDecode, diagnose.LLMOther,
}

// A share is one component's time in a stack.
type share struct {
	diagnose.Component
	time time.Duration
	cold time.Duration // of it
}

// Class is the share's colour.
func (s share) Class() string { return looks[s.Component].class }

// sharesOf are a question's components in the order of the stack.
func sharesOf(r *diagnose.Result) []share {
	var at [32]int
	shares := make([]share, 0, len(r.Stages))
	times := make(map[diagnose.Component]time.Duration, len(r.Stages))
	for _, s := range r.Stages {
		times[s.Component] = s.Time
	}
	for _, c := range stacked {
		if d := times[c]; d > 0 {
			shares = append(shares, share{Component: c, time: d})
			at[c] = len(shares)
		}
	}
	for _, c := range r.Cold {
		if i := at[c.Component]; i > 0 {
			shares[i-1].cold = min(c.Time, shares[i-1].time)
		}
	}
	return shares
}

// A key is an entry of the legend.
type key struct {
	Class, Name string
	Inside      bool
}

// legend explains the components that occur in questions.
func legend(results []diagnose.Result) []key {
	seen := make(map[diagnose.Component]bool)
	for i := range results {
		for _, s := range results[i].Stages {
			if s.Time*500 > results[i].E2E {
				seen[s.Component] = true
			}
		}
	}
	if seen[diagnose.GapStart] && seen[diagnose.Gap] {
		delete(seen, diagnose.GapStart) // which looks the same
	}
	var keys []key
	for _, c := range stacked {
		if seen[c] {
			keys = append(keys, key{looks[c].class, looks[c].name, c.InsideLLM()})
		}
	}
	return keys
}
