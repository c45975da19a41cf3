package fakeserver

import (
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// twoModels is a chat model that says four tokens and an embedding model.
func twoModels(change func(*OllamaConfig)) *Ollama {
	config := OllamaConfig{Models: []Model{
		{
			Name: "chat", Load: 300 * ms, Prefill: 40 * ms, PrefillPerToken: ms, ColdPrefill: 100 * ms, TokenTime: 10 * ms,
			Answer: func(string) string { return "one two three four" },
		},
		{Name: "embed", Kind: Embed, Load: 200 * ms, Prefill: 5 * ms},
	}}
	if change != nil {
		change(&config)
	}
	return NewOllama(config)
}

const (
	chatJSON  = `{"model":"chat","messages":[{"role":"user","content":"what is it"}]}`
	embedJSON = `{"model":"embed","input":"what is it"}`
)

// A prompt of three words is 4 tokens: 40 ms + 4 x 1 ms. Four tokens and the end token are four steps of 10 ms. Handling is
// 4 ms and preparing 1 ms.
const (
	warmTotal = 4*ms + ms + 44*ms + 40*ms
	coldTotal = warmTotal + 300*ms + 100*ms
)

func TestChatColdThenWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(nil))
		cold := c.post("/api/chat", chatJSON)
		got := cold.last(t)
		if got.Load != 304*ms || got.Prefill != 144*ms || got.Decode != 40*ms || got.Total != coldTotal || got.Eval != 5 || got.Prompt != 4 {
			t.Errorf("cold: %+v", got)
		}
		if cold.reads[0] != 449*ms || cold.end != coldTotal {
			t.Errorf("cold: first read at %v, end %v", cold.reads[0], cold.end)
		}
		warm := c.post("/api/chat", chatJSON)
		got = warm.last(t)
		if got.Load != 4*ms || got.Prefill != 44*ms || got.Decode != 40*ms || got.Total != warmTotal {
			t.Errorf("warm: %+v", got)
		}
		first := warm.lines(t)[0]
		if d := got.Created.Sub(first.Created); d != got.Decode {
			t.Errorf("from the first stamp to the last %v, want %v", d, got.Decode)
		}
	})
}
